// Colours for lines and for levels.

#ifndef REBASIN_REPORT_PALETTE_H_
#define REBASIN_REPORT_PALETTE_H_

namespace rebasin {

struct Color {
  double red = 0;
  double green = 0;
  double blue = 0;
};

inline constexpr Color kInk = {0.13, 0.13, 0.15};   // titles, points
inline constexpr Color kGray = {0.38, 0.38, 0.41};  // labels, axes
inline constexpr Color kPale = {0.89, 0.89, 0.90};  // lines of the grid
inline constexpr Color kWhite = {1, 1, 1};

inline constexpr int kLineColors = 7;

// Index modulo the number of colours. They can be distinguished with red-green
// colour blindness, and differ in lightness.
Color LineColor(int index);

// From 0, deep blue, to 1, pale yellow. Lightness rises evenly, so the order is
// also visible in grey.
Color LevelColor(double position);

// True if white lines have more contrast on it than dark ones.
bool IsDark(const Color& color);

}  // namespace rebasin

#endif  // REBASIN_REPORT_PALETTE_H_
