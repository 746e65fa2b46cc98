#include <array>
#include <charconv>
#include <cmath>

#include "rebasin/error.h"
#include "rebasin/nn/data.h"

namespace rebasin {
namespace {

struct Known {
  std::string_view name;
  std::string_view numbers;  // in the syntax for users
};

// Mean and standard deviation over the training sets.
constexpr std::array kKnown = {
    Known{"mnist", ".1307/.3081"},
    Known{"cifar10", ".4914,.4822,.4465/.2470,.2435,.2616"},
    Known{"cifar100", ".5071,.4865,.4409/.2673,.2564,.2762"},
    Known{"imagenet", ".485,.456,.406/.229,.224,.225"},
};

[[noreturn]] void Fail(std::string_view text, const std::string& what) {
  throw Error(ErrorCode::kUsage, "normalization " + Quoted(text) + ": " + what,
              "none, mnist, cifar10, cifar100, imagenet, or means and "
              "deviations such as 0.5,0.5,0.5/0.25,0.25,0.25");
}

float ParseNumber(std::string_view number, std::string_view text) {
  float value = 0;
  const char* const end = number.data() + number.size();
  const auto [rest, error] = std::from_chars(number.data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value)) {
    Fail(text, Quoted(number) + " is not a number");
  }
  return value;
}

std::vector<float> ParseList(std::string_view list, std::string_view text) {
  std::vector<float> values;
  while (true) {
    const size_t comma = list.find(',');
    values.push_back(ParseNumber(list.substr(0, comma), text));
    if (comma == list.npos) return values;
    list.remove_prefix(comma + 1);
  }
}

Normalization ParseNumbers(std::string_view numbers, std::string_view text) {
  const size_t slash = numbers.find('/');
  if (slash == numbers.npos) Fail(text, "not known");
  Normalization result;
  result.mean = ParseList(numbers.substr(0, slash), text);
  result.deviation = ParseList(numbers.substr(slash + 1), text);
  if (result.mean.size() != result.deviation.size()) {
    Fail(text, std::to_string(result.mean.size()) + " means, but " +
                   std::to_string(result.deviation.size()) + " deviations");
  }
  for (const float deviation : result.deviation) {
    if (!(deviation > 0)) Fail(text, "deviations must be positive");
  }
  return result;
}

bool IsSame(const Normalization& x, const Normalization& y) {
  return x.mean == y.mean && x.deviation == y.deviation;
}

}  // namespace

Normalization ParseNormalization(std::string_view text) {
  if (text == "none") return {};
  for (const Known& known : kKnown) {
    if (known.name == text) return ParseNumbers(known.numbers, text);
  }
  return ParseNumbers(text, text);
}

std::string AgreedNormalization(const std::string& asked,
                                std::span<const Checkpoint* const> models) {
  std::string agreed = asked, origin = "--normalize";
  for (size_t m = 0; m < models.size(); ++m) {
    const auto found = models[m]->metadata().find(kNormalizeKey);
    if (found == models[m]->metadata().end()) continue;
    const std::string said = "the metadata of model " + std::to_string(m + 1);
    if (agreed.empty()) {
      agreed = found->second;
      origin = said;
    } else if (!IsSame(ParseNormalization(agreed),
                       ParseNormalization(found->second))) {
      throw Error(ErrorCode::kMismatch,
                  origin + " says that data is normalised by " +
                      Quoted(agreed) + ", but " + said + " says " +
                      Quoted(found->second),
                  "each network needs its data as it was trained");
    }
  }
  return agreed;
}

std::string DefaultNormalization(const Dataset& dataset) {
  const std::string_view name = dataset.name();
  const Shape& shape = dataset.example_shape();
  if (name.starts_with("MNIST ") && shape == Shape{1, 28, 28}) return "mnist";
  if (shape != Shape{3, 32, 32}) return "none";
  if (name.starts_with("CIFAR-10 ")) return "cifar10";
  if (name.starts_with("CIFAR-100 ")) return "cifar100";
  return "none";
}

}  // namespace rebasin
