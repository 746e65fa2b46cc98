#include "report/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace rebasin {
namespace {

constexpr char kMinus[] = "\u2212";
constexpr int kMaxDecimals = 12;

// std::to_chars does not depend on the locale.
std::string Fixed(double value, int decimals) {
  std::array<char, 400> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), std::abs(value),
                    std::chars_format::fixed, decimals)
          .ptr;
  const std::string digits(text.data(), end);
  const bool is_zero = digits.find_first_not_of("0.") == std::string::npos;
  return (value < 0 && !is_zero ? kMinus : "") + digits;
}

// The fewest decimals with an error of at most a share of `unit`.
int DecimalsOf(double value, double unit) {
  double power = 1;
  for (int decimals = 0; decimals < kMaxDecimals; ++decimals, power *= 10) {
    const double rounded = std::round(value * power) / power;
    if (std::abs(value - rounded) <= unit * 1e-6) return decimals;
  }
  return kMaxDecimals;
}

std::string Superscript(int number) {
  constexpr std::array<const char*, 10> kDigits = {
      "\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
      "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string text = number < 0 ? "\u207b" : "";
  for (char digit : std::to_string(std::abs(number))) {
    text += kDigits[static_cast<size_t>(digit - '0')];
  }
  return text;
}

// Mantissa and power of ten; "10³" instead of "1·10³", and "1" instead of
// "10⁰".
std::string WithPower(double value, double unit) {
  if (value == 0) return "0";
  const int power =
      static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
  if (power == 0 || power == 1) return Fixed(value, DecimalsOf(value, unit));
  const double scale = std::pow(10.0, power);
  const double mantissa = value / scale;
  const std::string exponent = "10" + Superscript(power);
  const std::string text = Fixed(mantissa, DecimalsOf(mantissa, unit / scale));
  if (text == "1") return exponent;
  if (text == std::string(kMinus) + "1") return kMinus + exponent;
  return text + "\u00b7" + exponent;
}

struct Spacing {
  double least = 0;     // smallest distance of neighbours
  double largest = 0;   // largest absolute value
  double smallest = 0;  // smallest absolute value except zero
  bool even = true;
};

Spacing SpacingOf(const std::vector<double>& values) {
  Spacing spacing;
  for (size_t i = 0; i < values.size(); ++i) {
    const double size = std::abs(values[i]);
    spacing.largest = std::max(spacing.largest, size);
    if (size > 0 && (spacing.smallest == 0 || size < spacing.smallest)) {
      spacing.smallest = size;
    }
    if (i == 0) continue;
    const double step = std::abs(values[i] - values[i - 1]);
    if (i == 1) spacing.least = step;
    spacing.even =
        spacing.even && std::abs(step - spacing.least) <= 1e-6 * step;
    spacing.least = std::min(spacing.least, step);
  }
  if (spacing.least == 0) spacing.least = spacing.largest * 1e-3;
  return spacing;
}

}  // namespace

std::vector<std::string> NumberTexts(const std::vector<double>& values) {
  const Spacing spacing = SpacingOf(values);
  const bool is_long =
      spacing.largest >= 1e6 || (spacing.smallest > 0 && spacing.least < 1e-4);
  int decimals = 0;
  for (double value : values) {
    decimals = std::max(decimals, DecimalsOf(value, spacing.least));
  }
  std::vector<std::string> texts;
  for (double value : values) {
    const double unit = spacing.even ? spacing.least : std::abs(value) * 1e-3;
    texts.push_back(is_long        ? WithPower(value, unit)
                    : spacing.even ? Fixed(value, decimals)
                                   : Fixed(value, DecimalsOf(value, unit)));
  }
  return texts;
}

}  // namespace rebasin
