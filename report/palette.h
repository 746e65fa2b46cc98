// Colours: a few for lines, a scale for levels.

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

// Counted round. Colours that stay apart for people who do not see red or
// green, and differ in lightness.
Color LineColor(int index);

// From 0, deep blue, to 1, pale yellow. Lightness rises evenly, so that the
// order shows in grey, too.
Color LevelColor(double position);

// Whether white lines show better on it than dark ones.
bool IsDark(const Color& color);

}  // namespace rebasin

#endif  // REBASIN_REPORT_PALETTE_H_
