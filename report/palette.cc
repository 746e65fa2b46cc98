#include "report/palette.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rebasin {
namespace {

constexpr Color Rgb(int red, int green, int blue) {
  return {red / 255.0, green / 255.0, blue / 255.0};
}

// The colours of Okabe and Ito, without yellow, which is too light for lines on
// white.
constexpr std::array<Color, kLineColors> kLines = {
    Rgb(0, 114, 178),  Rgb(213, 94, 0),  Rgb(0, 158, 115), Rgb(204, 121, 167),
    Rgb(86, 180, 233), Rgb(230, 159, 0), Rgb(70, 70, 75)};

// Even steps of lightness. All common forms of colour blindness can distinguish
// blue and yellow.
constexpr std::array<Color, 6> kLevels = {
    Rgb(23, 32, 84),   Rgb(35, 76, 133),   Rgb(40, 122, 148),
    Rgb(78, 167, 143), Rgb(157, 207, 132), Rgb(245, 240, 165)};

double Mix(double a, double b, double t) { return a + (b - a) * t; }

}  // namespace

Color LineColor(int index) {
  const int round = (index % kLineColors + kLineColors) % kLineColors;
  return kLines[static_cast<size_t>(round)];
}

Color LevelColor(double position) {
  const double at = std::clamp(position, 0.0, 1.0) * (kLevels.size() - 1);
  const auto below =
      std::min(static_cast<size_t>(std::floor(at)), kLevels.size() - 2);
  const Color &a = kLevels[below], &b = kLevels[below + 1];
  const double t = at - static_cast<double>(below);
  return {Mix(a.red, b.red, t), Mix(a.green, b.green, t),
          Mix(a.blue, b.blue, t)};
}

bool IsDark(const Color& color) {
  return 0.3 * color.red + 0.59 * color.green + 0.11 * color.blue < 0.45;
}

}  // namespace rebasin
