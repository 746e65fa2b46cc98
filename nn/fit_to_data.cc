// Adapts built-in architectures to data.

#include <algorithm>
#include <optional>

#include "rebasin/nn/train.h"
#include "rebasin/zoo.h"

namespace rebasin {
namespace {

// Smaller images are not from ImageNet.
constexpr int64_t kSmallImage = 64;

// The value of an option that follows from the data; nothing for other options.
std::optional<std::string> FromData(const ZooOption& option,
                                    const Dataset& data) {
  const auto number = [](int64_t value) { return std::to_string(value); };
  if (option.name == "in") return number(data.example_size());
  if (option.name == "out" || option.name == "classes") {
    return number(data.classes());
  }
  if (!data.is_image()) return std::nullopt;
  if (option.name == "image") return number(data.example_shape().back());
  if (option.name == "head" && data.example_shape().back() <= kSmallImage) {
    return "cifar";
  }
  return std::nullopt;
}

bool Says(const std::string& options, const std::string& name) {
  return ("," + options).find("," + name + "=") != std::string::npos;
}

}  // namespace

std::string FitToData(const std::string& model, const Dataset& data) {
  const size_t colon = std::min(model.find(':'), model.size());
  const std::string name = model.substr(0, colon);
  const std::string options =
      colon < model.size() ? model.substr(colon + 1) : "";
  std::string text = options;
  for (const ZooEntry& entry : ZooEntries()) {
    if (entry.name != name) continue;
    for (const ZooOption& option : entry.options) {
      const auto value = FromData(option, data);
      if (!value || *value == option.default_value ||
          Says(options, option.name)) {
        continue;
      }
      text += (text.empty() ? "" : ",") + option.name + "=" + *value;
    }
  }
  return text.empty() ? name : name + ":" + text;
}

}  // namespace rebasin
