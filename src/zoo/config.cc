#include "zoo/config.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "io/file.h"
#include "io/json.h"
#include "rebasin/error.h"

namespace rebasin {
namespace zoo {
namespace {

using Json = nlohmann::json;

// The largest files (with lists of labels) have some hundred kilobytes.
constexpr JsonLimits kLimits = {.bytes = 4'000'000, .values = 500'000};

// No symmetry depends on this option, and any number is valid.
bool IsHarmless(const std::string& option) { return option == "theta"; }

void CheckType(const Json& config, const std::string& source,
               const Architecture& architecture) {
  const auto found = config.find("model_type");
  if (found == config.end() || !found->is_string()) return;
  const auto& type = found->get_ref<const std::string&>();
  const auto& types = architecture.config_types;
  if (std::find(types.begin(), types.end(), type) != types.end()) return;
  throw Error(ErrorCode::kMismatch,
              source + " says \"model_type\" " + Quoted(type) +
                  ", which is not the architecture " +
                  Quoted(architecture.entry.name),
              "give an .onnx file or a --spec, or move config.json away if it "
              "belongs to another model");
}

// The text of the option for a value, if it is valid.
std::optional<std::string> OptionText(const Json& value,
                                      const ZooOption& option) {
  if (!option.choices.empty()) {
    if (!value.is_boolean()) return std::nullopt;
    return value.get<bool>() ? "true" : "false";
  }
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  const double least = std::max<double>(1, static_cast<double>(option.least));
  if (number != std::floor(number) || number < least ||
      number > static_cast<double>(option.most)) {
    return std::nullopt;
  }
  return std::to_string(static_cast<int64_t>(number));
}

const ZooOption& OptionOf(const ZooEntry& entry, const std::string& name) {
  return *std::find_if(entry.options.begin(), entry.options.end(),
                       [&](const ZooOption& o) { return o.name == name; });
}

[[noreturn]] void FailValue(const std::string& source, const ConfigKey& key,
                            const ZooOption& option) {
  throw Error(ErrorCode::kBadInput,
              source + ": " + Quoted(key.key) + " must be " +
                  (option.choices.empty() ? "a whole number from 1 to " +
                                                std::to_string(option.most)
                                          : "true or false"));
}

}  // namespace

Findings ReadConfig(const std::filesystem::path& path,
                    const Architecture& architecture) {
  const std::string source = Quoted(path.native());
  const Json config = ReadJsonFile(path, kLimits);
  if (!config.is_object()) {
    throw Error(ErrorCode::kBadInput, source + " is no JSON object");
  }
  CheckType(config, source, architecture);
  Findings findings;
  for (const ConfigKey& key : architecture.config_keys) {
    const auto found = config.find(key.key);
    if (found == config.end() || found->is_null()) continue;
    const ZooOption& option = OptionOf(architecture.entry, key.option);
    const auto text = OptionText(*found, option);
    if (!text && IsHarmless(option.name)) continue;
    if (!text) FailValue(source, key, option);
    findings.emplace_back(option.name, *text);
  }
  return findings;
}

}  // namespace zoo

std::filesystem::path FindModelConfig(const std::filesystem::path& model) {
  std::error_code ignored;
  const std::filesystem::path folder =
      std::filesystem::is_directory(model, ignored) ? model
                                                    : model.parent_path();
  const std::filesystem::path config = folder / "config.json";
  return IsRegularFile(config) ? config : std::filesystem::path();
}

}  // namespace rebasin
