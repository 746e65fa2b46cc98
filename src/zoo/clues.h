// What a checkpoint shows of the architecture it belongs to.

#ifndef REBASIN_ZOO_CLUES_H_
#define REBASIN_ZOO_CLUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "rebasin/checkpoint.h"

namespace rebasin::zoo {

class Clues {
 public:
  explicit Clues(const Checkpoint& model) : model_(model) {}

  bool Has(const std::string& name) const {
    return model_.Find(name) != nullptr;
  }
  // 0 if there is no such tensor or axis, or its size is beyond any option's,
  // so that arithmetic on it is safe.
  int64_t Size(const std::string& name, size_t axis) const;
  // Whether both are there, and equal in type, shape and every bit.
  bool AreEqual(const std::string& name, const std::string& other) const;
  // How many of PREFIXnSUFFIX there are, n = first, first + step, ...
  int64_t Count(const std::string& prefix, const std::string& suffix,
                int64_t first = 0, int64_t step = 1) const;

 private:
  const Checkpoint& model_;
};

// The value of an option, as read off the clues. A value that the option does
// not allow (0, mostly) means that the checkpoint is of something else.
struct Finding {
  Finding(std::string o, std::string v)
      : option(std::move(o)), value(std::move(v)) {}
  Finding(std::string o, const char* v) : option(std::move(o)), value(v) {}
  Finding(std::string o, int64_t v)
      : option(std::move(o)), value(std::to_string(v)) {}
  Finding(std::string o, bool v)
      : option(std::move(o)), value(v ? "true" : "false") {}

  std::string option;
  std::string value;
};
using Findings = std::vector<Finding>;

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_CLUES_H_
