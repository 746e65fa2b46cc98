#include "zoo/families/config.h"

#include <cmath>

#include "io/json.h"
#include "rebasin/error.h"

namespace rebasin::zoo {
namespace {

using Json = nlohmann::json;

// The largest files (with lists of labels) have some hundred kilobytes.
constexpr JsonLimits kLimits = {.bytes = 4'000'000, .values = 500'000};
// Beyond any vocabulary; the square of it is far from overflow.
constexpr int64_t kLargest = 100'000'000;
constexpr size_t kMostItems = 10'000;

// Whole numbers are sometimes written as 4.0.
std::optional<int64_t> WholeNumber(const Json& value, int64_t least) {
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  if (number != std::floor(number) || number < static_cast<double>(least) ||
      number > static_cast<double>(kLargest)) {
    return std::nullopt;
  }
  return static_cast<int64_t>(number);
}

std::string RangeText(int64_t least) {
  return "a whole number from " + std::to_string(least) + " to " +
         std::to_string(kLargest);
}

bool IsList(const Json& value) {
  return value.is_array() && value.size() <= kMostItems;
}

}  // namespace

FamilyConfig FamilyConfig::Read(const std::filesystem::path& path) {
  const std::string source = Quoted(path.native());
  try {
    FamilyConfig config(ReadJsonFile(path, kLimits), source);
    if (config.json_.is_object()) return config;
  } catch (const Error& error) {
    throw UnreadableConfig(error.code(), error.what(), error.hint());
  }
  throw UnreadableConfig(ErrorCode::kBadInput, source + " is no JSON object");
}

std::string FamilyConfig::ModelType() const {
  const Json* found = Find({"model_type", "_class_name"});
  return found != nullptr && found->is_string() ? found->get<std::string>()
                                                : std::string();
}

const Json* FamilyConfig::Find(Keys keys) const {
  for (const std::string_view key : keys) {
    const auto found = json_.find(key);
    if (found != json_.end() && !found->is_null()) return &*found;
  }
  return nullptr;
}

const Json& FamilyConfig::Need(Keys keys) const {
  const Json* found = Find(keys);
  if (found != nullptr) return *found;
  Fail(Quoted(*keys.begin()) + " is missing, which this kind of model needs",
       "use the complete config.json of the model");
}

void FamilyConfig::FailValue(Keys keys, const std::string& expected) const {
  for (const std::string_view key : keys) {
    if (Find({key}) != nullptr) {
      Fail(Quoted(key) + " must be " + expected);
    }
  }
  Fail(Quoted(*keys.begin()) + " must be " + expected);
}

// The keys are names of one setting. Which of two numbers the family's code
// would take depends on its version.
void FamilyConfig::RequireAgreement(Keys keys) const {
  const Json& first = Need(keys);
  for (const std::string_view key : keys) {
    const Json* other = Find({key});
    if (other == nullptr || *other == first) continue;
    Fail(Quoted(key) + " is " + other->dump() + ", and another name of it is " +
         first.dump());
  }
}

int64_t FamilyConfig::Size(Keys keys) const {
  RequireAgreement(keys);
  const auto size = WholeNumber(Need(keys), 1);
  if (!size) FailValue(keys, RangeText(1));
  return *size;
}

int64_t FamilyConfig::Size(Keys keys, int64_t fallback) const {
  return Has(keys) ? Size(keys) : fallback;
}

int64_t FamilyConfig::Integer(Keys keys, int64_t fallback,
                              int64_t least) const {
  const Json* found = Find(keys);
  if (found == nullptr) return fallback;
  const auto number = WholeNumber(*found, least);
  if (!number) FailValue(keys, RangeText(least));
  return *number;
}

std::vector<int64_t> FamilyConfig::Sizes(Keys keys) const {
  const Json& list = Need(keys);
  if (!IsList(list)) FailValue(keys, "a list of whole numbers");
  std::vector<int64_t> sizes;
  for (const Json& item : list) {
    const auto size = WholeNumber(item, 1);
    if (!size) FailValue(keys, "a list of whole numbers from 1");
    sizes.push_back(*size);
  }
  return sizes;
}

double FamilyConfig::Number(Keys keys, double fallback) const {
  const Json* found = Find(keys);
  if (found == nullptr) return fallback;
  if (!found->is_number()) FailValue(keys, "a number");
  return found->get<double>();
}

std::vector<double> FamilyConfig::Numbers(Keys keys) const {
  const Json& list = Need(keys);
  if (!IsList(list)) FailValue(keys, "a list of numbers");
  std::vector<double> numbers;
  for (const Json& item : list) {
    if (!item.is_number()) FailValue(keys, "a list of numbers");
    numbers.push_back(item.get<double>());
  }
  return numbers;
}

double FamilyConfig::NumberOrNone(std::string_view key, double fallback) const {
  const auto found = json_.find(key);
  const bool none = found != json_.end() && found->is_null();
  return none ? 0 : Number({key}, fallback);
}

bool FamilyConfig::Flag(Keys keys, bool fallback) const {
  const Json* found = Find(keys);
  if (found == nullptr) return fallback;
  if (!found->is_boolean()) FailValue(keys, "true or false");
  return found->get<bool>();
}

std::string FamilyConfig::Word(Keys keys, const std::string& fallback) const {
  const Json* found = Find(keys);
  if (found == nullptr) return fallback;
  if (!found->is_string()) FailValue(keys, "a text");
  return found->get<std::string>();
}

std::vector<std::string> FamilyConfig::Words(Keys keys) const {
  const Json* found = Find(keys);
  if (found == nullptr) return {};
  if (!IsList(*found)) FailValue(keys, "a list of texts");
  std::vector<std::string> words;
  for (const Json& item : *found) {
    if (!item.is_string()) FailValue(keys, "a list of texts");
    words.push_back(item.get<std::string>());
  }
  return words;
}

FamilyConfig FamilyConfig::Part(Keys keys) const {
  const Json* found = Find(keys);
  if (found == nullptr) return {Json::object(), source_};
  if (!found->is_object()) FailValue(keys, "an object");
  return {*found, source_ + ", " + Quoted(*keys.begin())};
}

void FamilyConfig::Fail(const std::string& what,
                        const std::string& hint) const {
  throw Error(ErrorCode::kBadInput, source_ + ": " + what, hint);
}

void FamilyConfig::Refuse(const std::string& what) const {
  throw Error(ErrorCode::kUnsupported, source_ + ": " + what,
              "export the model as .onnx, or give a --spec");
}

int64_t FamilyConfig::Share(int64_t total, int64_t parts,
                            const std::string& what) const {
  if (total % parts == 0) return total / parts;
  Fail(what + ": " + std::to_string(total) + " cannot be divided by " +
       std::to_string(parts));
}

}  // namespace rebasin::zoo
