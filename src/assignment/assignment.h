// The linear assignment problem, dense and exact, for float32 costs.
//
// Finds the permutation that maximises (or minimises) the sum of
// cost[i][assignment[i]]. The result is exact: the float costs are taken as
// exact real numbers, the dual variables are doubles, and the returned duals
// prove the optimum (see `gap`).

#ifndef REBASIN_ASSIGNMENT_ASSIGNMENT_H_
#define REBASIN_ASSIGNMENT_ASSIGNMENT_H_

#include <cstdint>
#include <span>
#include <vector>

namespace rebasin {

// A square matrix of floats, row-major. Does not own the memory.
struct CostMatrix {
  const float* data = nullptr;
  int64_t n = 0;
  int64_t stride = 0;  // floats from one row to the next; >= n

  std::span<const float> row(int64_t i) const {
    return {data + i * stride, static_cast<size_t>(n)};
  }
};

// Dual prices of a solved problem, usable as a warm start for a similar one.
// For every i, j: rows[i] + columns[j] <= cost[i][j] (>= when maximising), with
// equality if row i is assigned to column j.
struct AssignmentDuals {
  std::vector<double> rows;     // u
  std::vector<double> columns;  // v
};

struct AssignmentOptions {
  bool maximize = false;
  // Duals of a similar problem, of the same size and with the same `maximize`;
  // ignored if empty or of another size. They change only the time, never the
  // optimum.
  const AssignmentDuals* warm_start = nullptr;
};

struct Assignment {
  std::vector<int32_t> column_of_row;
  AssignmentDuals duals;
  double value = 0;  // sum of the chosen costs, accumulated in double
  // Certificate: `value` is within `gap` of the optimum. gap = |value - dual
  // bound|, with the bound computed from duals made feasible in double. Zero up
  // to rounding of doubles.
  double gap = 0;
};

// Throws Error(kBadInput), naming row and column, if a cost is NaN or infinite;
// Error(kUsage) for a negative n or a stride shorter than a row. n = 0 is
// allowed.
//
// The result is deterministic among equal optima; where whole rows tie, lower
// column indices are preferred, so a constant matrix gives the identity. All
// instruction sets give the same bits. Thread-safe; uses one thread. Memory:
// O(n) besides the result (lists of about 64 columns for each row; the costs
// are not copied). Time: a few passes over the matrix for planted and network
// costs, O(n^3) in the worst case.
Assignment SolveAssignment(const CostMatrix& cost,
                           const AssignmentOptions& options = {});

}  // namespace rebasin

#endif  // REBASIN_ASSIGNMENT_ASSIGNMENT_H_
