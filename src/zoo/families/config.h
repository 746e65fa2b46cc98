// A config.json as Hugging Face's transformers and diffusers write it.

#ifndef REBASIN_ZOO_FAMILIES_CONFIG_H_
#define REBASIN_ZOO_FAMILIES_CONFIG_H_

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rebasin/error.h"

namespace rebasin::zoo {

// The names of one setting in the order of search: releases and families give
// it different ones.
using Keys = std::initializer_list<std::string_view>;

// The file is not a JSON object of plausible size, so nothing says what it is.
class UnreadableConfig : public Error {
 public:
  using Error::Error;
};

// Reads the settings that a family needs. A missing or null setting has the
// fallback, if there is one. All methods throw Error(kBadInput), which names
// the file and the key, if a needed setting is missing or a value is of
// another kind or out of range. Other keys are ignored.
class FamilyConfig {
 public:
  // Throws UnreadableConfig.
  static FamilyConfig Read(const std::filesystem::path& path);

  // The text of "model_type", or, in files of diffusers, of "_class_name";
  // empty if there is none.
  std::string ModelType() const;
  // True if the setting is there and not null.
  bool Has(Keys keys) const { return Find(keys) != nullptr; }
  bool HasList(Keys keys) const { return Has(keys) && Find(keys)->is_array(); }

  // A count or width: a whole number from 1 to 100 million.
  int64_t Size(Keys keys) const;
  int64_t Size(Keys keys, int64_t fallback) const;
  // The same from `least`, for settings in which 0 or -1 has a meaning.
  int64_t Integer(Keys keys, int64_t fallback, int64_t least = 0) const;
  // One size for each stage of a network.
  std::vector<int64_t> Sizes(Keys keys) const;
  // A finite number.
  double Number(Keys keys, double fallback) const;
  std::vector<double> Numbers(Keys keys) const;
  // The same for settings in which null says "none": that is 0.
  double NumberOrNone(std::string_view key, double fallback) const;
  bool Flag(Keys keys, bool fallback) const;
  std::string Word(Keys keys, const std::string& fallback) const;
  // Empty if there is none.
  std::vector<std::string> Words(Keys keys) const;
  // An object within this one. Empty if there is none.
  FamilyConfig Part(Keys keys) const;

  // Throws Error(kBadInput) with the file's name in front.
  [[noreturn]] void Fail(const std::string& what,
                         const std::string& hint = "") const;
  // Throws Error(kUnsupported): the family has such models, but not here.
  [[noreturn]] void Refuse(const std::string& what) const;
  // `total` divided by `parts`. Throws if it does not divide.
  int64_t Share(int64_t total, int64_t parts, const std::string& what) const;

 private:
  void RequireAgreement(Keys keys) const;
  FamilyConfig(nlohmann::json json, std::string source)
      : json_(std::move(json)), source_(std::move(source)) {}

  const nlohmann::json* Find(Keys keys) const;
  const nlohmann::json& Need(Keys keys) const;
  [[noreturn]] void FailValue(Keys keys, const std::string& expected) const;

  nlohmann::json json_;
  std::string source_;  // printable
};

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_FAMILIES_CONFIG_H_
