#include "onnx/tables.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rebasin {
namespace {

constexpr int64_t kLeastPositions = 8;
constexpr int64_t kLeastSequence = 4;
constexpr int64_t kLeastTriangle = 3;
// Tolerances that admit tables stored in half precision.
constexpr double kSineTolerance = 5e-3;
constexpr double kStartTolerance = 1e-3;
constexpr double kRatioTolerance = 1e-4;
// A column with a larger change than this is not constant, and has a frequency.
constexpr double kMoved = 0.01;

// Reads `count` elements at begin, begin + stride, ...
std::vector<double> ReadStrided(const Tensor& tensor, int64_t begin,
                                int64_t stride, int64_t count) {
  std::vector<double> numbers(static_cast<size_t>(count));
  if (stride == 1) {
    ReadDoubles(tensor, begin, numbers);
    return numbers;
  }
  for (int64_t i = 0; i < count; ++i) {
    ReadDoubles(tensor, begin + i * stride, {&numbers[i], 1});
  }
  return numbers;
}

bool IsNear(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance;
}

// sin(p w) and cos(p w) are both sin(p w + phase).
constexpr double kCosinePhase = 1.57079632679489661923;

// The frequency of a sine that starts with `phase`; 0 if it is almost constant.
// Each position refines the estimate of the earlier ones, since a small error
// grows with the position.
double FrequencyOf(const std::vector<double>& x, double phase) {
  double w = 0;
  for (size_t p = 1; p < x.size(); ++p) {
    const auto position = static_cast<double>(p);
    if (w == 0) {
      if (IsNear(x[p], x[0], kMoved)) continue;
      const double sine = std::clamp(x[p], -1.0, 1.0);
      w = (phase == 0 ? std::asin(sine) : std::acos(sine)) / position;
      continue;
    }
    const double slope = std::cos(position * w + phase);
    if (std::abs(slope) < 0.3) continue;
    w += (x[p] - std::sin(position * w + phase)) / (slope * position);
  }
  return w;
}

bool IsSineStart(double x) {
  return IsNear(x, 0, kStartTolerance) || IsNear(x, 1, kStartTolerance);
}

enum class Column { kOther, kFlat, kSine };

Column KindOfColumn(const std::vector<double>& x) {
  if (!IsSineStart(x[0])) return Column::kOther;
  const bool cosine = IsNear(x[0], 1, kStartTolerance);
  const double phase = cosine ? kCosinePhase : 0;
  const double w = FrequencyOf(x, phase);
  for (size_t p = 0; p < x.size(); ++p) {
    const double expected = std::sin(static_cast<double>(p) * w + phase);
    const double tolerance = w == 0 ? kMoved : kSineTolerance;
    if (!IsNear(x[p], expected, tolerance)) return Column::kOther;
  }
  return w == 0 ? Column::kFlat : Column::kSine;
}

// A quick check, so that most matrices need not be read completely.
bool StartsLikeSines(const Tensor& tensor, int64_t columns,
                     int64_t column_stride) {
  const int64_t some = std::min<int64_t>(columns, 16);
  const auto starts = ReadStrided(tensor, 0, column_stride, some);
  return std::all_of(starts.begin(), starts.end(), IsSineStart);
}

// Whether each of the `columns` is a sine or cosine of the positions along the
// other axis.
bool IsSineTable(const Tensor& tensor, int64_t positions, int64_t stride,
                 int64_t columns, int64_t column_stride) {
  if (positions < kLeastPositions || columns < 2) return false;
  if (!StartsLikeSines(tensor, columns, column_stride)) return false;
  bool moves = false;
  for (int64_t c = 0; c < columns; ++c) {
    const Column kind =
        KindOfColumn(ReadStrided(tensor, c * column_stride, stride, positions));
    if (kind == Column::kOther) return false;
    moves |= kind == Column::kSine;
  }
  return moves;
}

// Whether row i of a square has `below` up to the diagonal (or before it,
// without `diagonal`) and `above` after it.
bool IsTriangleRow(const std::vector<double>& row, int64_t i, bool diagonal,
                   double below, double above) {
  const auto border = row.begin() + i + (diagonal ? 1 : 0);
  return std::all_of(row.begin(), border,
                     [&](double x) { return x == below; }) &&
         std::all_of(border, row.end(), [&](double x) { return x == above; });
}

bool IsTriangle(const Tensor& tensor) {
  const size_t rank = tensor.shape.size();
  if (rank < 2) return false;
  const int64_t n = tensor.shape[rank - 1];
  if (n < kLeastTriangle || tensor.shape[rank - 2] != n) return false;
  const auto first = ReadStrided(tensor, 0, 1, n);
  const double above = first.back();
  const double below = ReadStrided(tensor, n, 1, 1)[0];
  if (above == below) return false;
  for (int64_t row = 0; row < tensor.size() / n; ++row) {
    if (!IsTriangleRow(ReadStrided(tensor, row * n, 1, n), row % n,
                       first[0] == below, below, above)) {
      return false;
    }
  }
  return true;
}

bool IsSequence(const Tensor& tensor, int64_t count) {
  if (count < kLeastSequence) return false;
  const auto x = ReadStrided(tensor, 0, 1, count);
  bool counts = true;
  bool geometric =
      x[0] != 0 && x[1] / x[0] > 0 && !IsNear(x[1] / x[0], 1, kRatioTolerance);
  for (size_t i = 0; i < x.size() && (counts || geometric); ++i) {
    counts &= x[i] == static_cast<double>(i);
    geometric = geometric && (i == 0 || IsNear(x[i] / x[i - 1] * x[0] / x[1], 1,
                                               kRatioTolerance));
  }
  return counts || geometric;
}

}  // namespace

bool FollowsFormula(const Tensor& tensor) {
  if (tensor.size() < kLeastSequence) return false;
  if (IsTriangle(tensor)) return true;
  Shape shape = tensor.shape;
  std::erase(shape, 1);
  if (shape.size() == 1) return IsSequence(tensor, shape[0]);
  if (shape.size() != 2) return false;
  const int64_t rows = shape[0], columns = shape[1];
  return IsSineTable(tensor, rows, columns, columns, 1) ||
         IsSineTable(tensor, columns, 1, rows, columns);
}

bool HoldsFewNumbers(const Tensor& tensor) {
  constexpr int64_t kChunk = 4096;
  std::vector<double> chunk;
  std::vector<double> different;
  for (int64_t begin = 0; begin < tensor.size(); begin += kChunk) {
    chunk.resize(std::min(kChunk, tensor.size() - begin));
    ReadDoubles(tensor, begin, chunk);
    for (double number : chunk) {
      if (!std::isfinite(number)) return true;
      if (std::find(different.begin(), different.end(), number) !=
          different.end()) {
        continue;
      }
      if (different.size() == 2) return false;
      different.push_back(number);
    }
  }
  return true;
}

}  // namespace rebasin
