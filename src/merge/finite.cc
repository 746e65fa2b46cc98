#include "merge/finite.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "rebasin/error.h"

namespace rebasin {

// x * 0 is 0 unless x is not finite.
bool AllFinite(std::span<const double> values) {
  constexpr size_t kLanes = 8;
  std::array<double, kLanes> lanes = {};
  const size_t whole = values.size() / kLanes * kLanes;
  for (size_t i = 0; i < whole; i += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) lanes[l] += values[i + l] * 0.0;
  }
  double rest = 0;
  for (size_t i = whole; i < values.size(); ++i) rest += values[i] * 0.0;
  for (double lane : lanes) rest += lane;
  return rest == 0;
}

// Reads the whole tensor, so that one error reports all invalid values.
void FailNonFinite(const Tensor& tensor, const std::string& model) {
  int64_t bad = 0, first = -1;
  constexpr int64_t kPiece = 1024;
  std::array<double, kPiece> piece;
  for (int64_t at = 0; at < tensor.size(); at += kPiece) {
    const auto values = std::span(piece).first(
        static_cast<size_t>(std::min(kPiece, tensor.size() - at)));
    ReadDoubles(tensor, at, values);
    for (size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) continue;
      if (bad++ == 0) first = at + static_cast<int64_t>(i);
    }
  }
  throw Error(
      ErrorCode::kBadInput,
      model + ", tensor " + Quoted(tensor.name) + ": " + std::to_string(bad) +
          (bad == 1 ? " value is" : " values are") +
          " NaN or infinite, the first at index " + std::to_string(first),
      "--allow-nonfinite merges such values all the same");
}

void FailOverflow(const Tensor& tensor, int64_t index, double value) {
  throw Error(ErrorCode::kBadInput,
              "tensor " + Quoted(tensor.name) + ": merged element " +
                  std::to_string(index) + " is " + std::to_string(value) +
                  ", too large for " + std::string(DTypeName(tensor.dtype)));
}

}  // namespace rebasin
