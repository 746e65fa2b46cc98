// Values for all options of an architecture.

#ifndef REBASIN_ZOO_SETTINGS_H_
#define REBASIN_ZOO_SETTINGS_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rebasin/error.h"
#include "rebasin/zoo.h"

namespace rebasin::zoo {

ZooOption Number(std::string name, int64_t default_value, int64_t least,
                 int64_t most, std::string description);
// The first choice is the default.
ZooOption Choice(std::string name, std::vector<std::string> choices,
                 std::string description);
ZooOption Flag(std::string name, std::string description);  // default: false

// Options that many architectures have.
ZooOption Classes(int64_t default_value);
ZooOption Image(int64_t default_value);
ZooOption Sequence();

// Refers to the entry, which must outlive the object.
class Settings {
 public:
  explicit Settings(const ZooEntry& entry);  // all defaults

  // Throws Error(kUsage) if the option does not exist or does not allow this
  // value.
  void Set(const std::string& option, const std::string& value);

  const std::string& Text(std::string_view option) const;
  int64_t Int(std::string_view option) const;
  // The values of all options, by name.
  const std::map<std::string, std::string, std::less<>>& values() const {
    return values_;
  }
  bool Is(std::string_view option, std::string_view value) const {
    return Text(option) == value;
  }

  // Makes an Error(kUsage) for options that contradict each other.
  Error Bad(const std::string& message) const;

 private:
  const ZooOption& Find(const std::string& option) const;

  const ZooEntry& entry_;
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_SETTINGS_H_
