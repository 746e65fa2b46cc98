#include "tensor/non_finite.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <span>

namespace rebasin {
namespace {

constexpr int64_t kPiece = 1024;

// The number of certain values in a tensor, and the first of them.
struct Found {
  int64_t count = 0, first = 0;
  double value = 0;

  void Add(int64_t index, double x) {
    if (count++ > 0) return;
    first = index;
    value = x;
  }
};

std::string Counted(const Found& found, const std::string& one,
                    const std::string& many) {
  return std::to_string(found.count) +
         (found.count == 1 ? " value " + one : " values " + many) +
         ", the first ";
}

std::string NumberText(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%g", value);
  return text.data();
}

}  // namespace

std::string WhyNotFloat(const Tensor& tensor) {
  Found not_finite, too_large;
  std::array<double, kPiece> piece;
  for (int64_t at = 0; at < tensor.size(); at += kPiece) {
    const auto values = std::span(piece).first(
        static_cast<size_t>(std::min(kPiece, tensor.size() - at)));
    ReadDoubles(tensor, at, values);
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t index = at + static_cast<int64_t>(i);
      if (!std::isfinite(values[i])) {
        not_finite.Add(index, values[i]);
      } else if (!std::isfinite(static_cast<float>(values[i]))) {
        too_large.Add(index, values[i]);
      }
    }
  }
  if (not_finite.count > 0) {
    return Counted(not_finite, "is NaN or infinite", "are NaN or infinite") +
           "at index " + std::to_string(not_finite.first);
  }
  if (too_large.count == 0) return "";
  return Counted(too_large, "exceeds float32", "exceed float32") + "(" +
         NumberText(too_large.value) + ") at index " +
         std::to_string(too_large.first);
}

}  // namespace rebasin
