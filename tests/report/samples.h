// Pictures as results have them, with made-up numbers.

#ifndef REBASIN_TESTS_REPORT_SAMPLES_H_
#define REBASIN_TESTS_REPORT_SAMPLES_H_

#include <cmath>
#include <string>
#include <vector>

#include "report/chart.h"
#include "report/contour.h"

namespace rebasin::testing {

// Values at evenly spaced places of [low, high].
inline std::vector<double> Steps(double low, double high, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) {
    values.push_back(low + (high - low) * i / (count - 1));
  }
  return values;
}

// A barrier between two networks: `height` above what lies at the ends.
inline Series Barrier(const std::string& name, double base, double height,
                      int color, bool dashes, bool emphasis = false) {
  Series series{
      .name = name, .emphasis = emphasis, .dashes = dashes, .color = color};
  series.x = Steps(0, 1, 25);
  for (double x : series.x) {
    series.y.push_back(base + height * std::pow(std::sin(x * 3.14159), 2));
  }
  return series;
}

// Loss and accuracy along the line from A to B, as the paper's Figure 2.
inline Figure Interpolation() {
  LineChart loss{.title = "Loss", .x_label = "λ", .y_label = "cross entropy"};
  LineChart accuracy{.title = "Accuracy", .x_label = "λ", .y_label = "%"};
  const auto add = [&](const std::string& name, double height, int color,
                       bool emphasis) {
    loss.series.push_back(
        Barrier(name + ", train", 0.05, height, color, false, emphasis));
    loss.series.push_back(
        Barrier(name + ", test", 0.32, height, color, true, emphasis));
    accuracy.series.push_back(
        Barrier(name + ", train", 99, -30 * height, color, false, emphasis));
    accuracy.series.push_back(
        Barrier(name + ", test", 92, -30 * height, color, true, emphasis));
  };
  add("naïve", 2.2, 1, false);
  add("weight matching", 0.35, 0, true);
  add("weight matching and repair", 0.08, 2, false);
  return {.title = "ResNet20 ×4 on CIFAR-10",
          .subtitle = "between two networks trained from different seeds",
          .panels = {loss, accuracy}};
}

// Two basins and a third, with the loss rising around them.
inline Contour Landscape() {
  Contour contour{.title = "Loss on the plane through A, B and π(B)",
                  .subtitle = "MLP on MNIST, test set",
                  .x_label = "distance",
                  .y_label = "distance",
                  .z_label = "cross entropy"};
  contour.x = Steps(-6, 18, 61);
  contour.y = Steps(-5, 14, 49);
  const auto basin = [](double x, double y, double a, double b) {
    return std::exp(-((x - a) * (x - a) + (y - b) * (y - b)) / 14);
  };
  for (double y : contour.y) {
    for (double x : contour.x) {
      const double depth =
          basin(x, y, 0, 0) + basin(x, y, 12, 0) + basin(x, y, 4.5, 8.5);
      const double valley = basin(x, y, 2.2, 4.2);
      contour.z.push_back(
          0.03 + 9 * std::pow(std::max(0.0, 1 - depth - 0.7 * valley), 2));
    }
  }
  contour.points = {{"A", 0, 0}, {"B", 12, 0}, {"π(B)", 4.5, 8.5}};
  contour.paths = {{contour.points[0], contour.points[1], "naïve"},
                   {contour.points[0], contour.points[2], "weight matching"}};
  return contour;
}

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_REPORT_SAMPLES_H_
