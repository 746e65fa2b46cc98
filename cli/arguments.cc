#include "cli/arguments.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "rebasin/error.h"
#include "symmetry/names.h"

namespace rebasin::cli {
namespace {

[[noreturn]] void Fail(const std::string& option, const std::string& expected,
                       const std::string& found) {
  throw Error(ErrorCode::kUsage,
              option + " must be " + expected + ", not " + Quoted(found));
}

// Parses the whole text as a number, or returns nothing.
template <typename T>
std::optional<T> ParseAll(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<double> UnitBytes(std::string_view unit) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"", 1},         {"B", 1},        {"kB", 1e3},     {"KB", 1e3},
      {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12},    {"KiB", 0x1p10},
      {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40},
  };
  for (const auto& [name, bytes] : kUnits) {
    if (name == unit) return bytes;
  }
  return std::nullopt;
}

}  // namespace

int64_t ParseInteger(const std::string& option, const std::string& text,
                     int64_t least, int64_t most) {
  const auto value = ParseAll<int64_t>(text);
  if (value && *value >= least && *value <= most) return *value;
  Fail(option,
       "a whole number from " + std::to_string(least) + " to " +
           std::to_string(most),
       text);
}

uint64_t ParseSeed(const std::string& text) {
  if (const auto value = ParseAll<uint64_t>(text)) return *value;
  Fail("--seed", "a whole number from 0 to 2^64 - 1", text);
}

double ParseShare(const std::string& option, const std::string& text) {
  const auto value = ParseAll<double>(text);
  // The comparison is false for NaN.
  if (value && *value >= 0 && *value <= 1) return *value;
  Fail(option, "a number from 0 to 1", text);
}

std::vector<double> ParseShares(const std::string& option,
                                const std::string& text) {
  std::vector<double> shares;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find(',', begin), text.size());
    shares.push_back(ParseShare(option, text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return shares;
}

int64_t ParseBytes(const std::string& option, const std::string& text) {
  const size_t digits = text.find_first_not_of("0123456789.");
  const size_t split = std::min(digits, text.size());
  const auto number = ParseAll<double>(text.substr(0, split));
  const auto unit = UnitBytes(text.substr(split));
  if (number && unit && *number * *unit >= 1 && *number * *unit < 0x1p62) {
    return static_cast<int64_t>(*number * *unit);
  }
  Fail(option, "a size such as 500MB or 2GB", text);
}

void FailChoice(const std::string& option, const std::string& text,
                const std::vector<std::string>& choices) {
  std::string list;
  for (size_t i = 0; i < choices.size(); ++i) {
    const bool last = i + 1 == choices.size();
    list += (i == 0 ? "" : last ? " or " : ", ") + choices[i];
  }
  throw Error(ErrorCode::kUsage,
              option + " must be " + list + ", not " + Quoted(text),
              DidYouMean(text, choices));
}

double ParseNumber(const std::string& option, const std::string& text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() &&
      std::isfinite(value)) {
    return value;
  }
  throw Error(ErrorCode::kUsage,
              option + " takes a number, not " + Quoted(text));
}

void Override(const std::string& option, const std::string& text,
              double* value) {
  if (!text.empty()) *value = ParseNumber(option, text);
}

void Override(const std::string& option, const std::string& text,
              int64_t* value, int64_t least) {
  if (!text.empty()) {
    *value = ParseInteger(option, text, least, int64_t{1} << 40);
  }
}

}  // namespace rebasin::cli
