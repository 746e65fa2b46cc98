// The inner loops of the solver over one row of the cost matrix, vectorised,
// with the instruction set chosen at run time.
//
// All take costs as `scale * cost[j] + price[j]`, where `scale` is a power of
// two or its negative. So neither maximising nor scaling into the range of
// floats needs a copy of the matrix. The product is exact, and every
// instruction set gives the same bits, with or without fused operations.
//
// The solver's arrays (prices, distances) have PaddedSize(n) elements; the
// padding must be +infinity, so that it is never the minimum. Rows of costs are
// read only up to n.

#ifndef REBASIN_ASSIGNMENT_KERNELS_H_
#define REBASIN_ASSIGNMENT_KERNELS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace rebasin::assignment {

template <typename T>
inline constexpr T kInfinity = std::numeric_limits<T>::infinity();

// Large enough for the widest vector that the kernels use.
constexpr size_t PaddedSize(size_t n) { return (n + 15) / 16 * 16; }

template <typename T>
std::vector<T> PaddedVector(size_t n, T value) {
  std::vector<T> padded(PaddedSize(n), kInfinity<T>);
  for (size_t j = 0; j < n; ++j) padded[j] = value;
  return padded;
}

template <typename T>
struct Minima {
  T best;
  T second;        // equals best if two columns tie
  int32_t column;  // of best; the lowest if several tie
};

struct Range {
  float low;
  float high;
  bool finite;  // if false, low and high are undefined

  float Largest() const { return std::max(std::abs(low), std::abs(high)); }
};

// The range of the costs themselves.
Range FindRange(const float* costs, size_t n);

// The two smallest of scale * cost[j] + price[j].
Minima<float> TwoMinima(const float* costs, float scale, const float* prices,
                        size_t n);
Minima<double> TwoMinima(const float* costs, double scale, const double* prices,
                         size_t n);

// The smallest alone, which is faster.
double Smallest(const float* costs, double scale, const double* prices,
                size_t n);

// TwoMinima over a list of columns: of cost[k] + price[columns[k]]. `column` of
// the result is the position k. The length of the list must be a PaddedSize;
// pad it with infinite costs.
Minima<float> TwoMinimaOfList(const float* costs, const int32_t* columns,
                              const float* prices, size_t size);

// Lists the columns with scale * cost[j] + price[j] < limit, and their scaled
// costs, in increasing order. Returns their number; stops somewhat beyond
// `capacity`. The list needs room for 32 elements more than that.
size_t ListBelow(const float* costs, float scale, const float* prices, size_t n,
                 float limit, size_t capacity, int32_t* columns,
                 float* list_costs);

// lowest[j] = min(lowest[j], scale * cost[j] - subtract).
void LowerColumns(const float* costs, float scale, float subtract,
                  float* lowest, size_t n);
void LowerColumns(const float* costs, double scale, double subtract,
                  double* lowest, size_t n);

// One step of Dijkstra's algorithm from `row`: the reduced cost of each edge,
// (scale * cost[j] + price[j]) - dual, is appended to a path of length `start`.
// Where that is shorter than distance[j], it is stored, with row in from[j].
// Returns the smallest distance.
struct RelaxStep {
  double scale;
  double dual;
  double start;
  double row;
};
double Relax(const float* costs, const RelaxStep& step, const double* prices,
             double* distance, double* from, size_t n);

// The columns with distance[j] == value, in increasing order.
void AppendEqual(const double* distance, double value, size_t n,
                 std::vector<int32_t>* columns);

}  // namespace rebasin::assignment

#endif  // REBASIN_ASSIGNMENT_KERNELS_H_
