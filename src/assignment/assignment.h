// The linear assignment problem, dense and exact, for float32 costs.
//
// Finds the permutation that maximises (or minimises) the sum of
// cost[i][assignment[i]]. The sum is exact in this sense: the costs are taken
// as the real numbers that the floats are, the dual variables are doubles, and
// the returned duals prove the optimum (see `gap`).

#ifndef REBASIN_ASSIGNMENT_ASSIGNMENT_H_
#define REBASIN_ASSIGNMENT_ASSIGNMENT_H_

#include <cstdint>
#include <span>
#include <vector>

namespace rebasin {

// A square matrix of floats somewhere in memory, row-major. Does not own.
struct CostMatrix {
  const float* data = nullptr;
  int64_t n = 0;
  int64_t stride = 0;  // floats from one row to the next; >= n

  std::span<const float> row(int64_t i) const {
    return {data + i * stride, static_cast<size_t>(n)};
  }
};

// Dual prices of a solved problem; a warm start for a similar one. For every
// i, j: rows[i] + columns[j] <= cost[i][j] (>= when maximising), with equality
// where the assignment chose j for i.
struct AssignmentDuals {
  std::vector<double> rows;     // u
  std::vector<double> columns;  // v
};

struct AssignmentOptions {
  bool maximize = false;
  // Duals of a similar problem of the same size solved before with the same
  // `maximize`; empty or of another size: ignored. Never changes the optimum,
  // only the time to find it.
  const AssignmentDuals* warm_start = nullptr;
};

struct Assignment {
  std::vector<int32_t> column_of_row;
  AssignmentDuals duals;
  double value = 0;  // sum of the chosen costs, accumulated in double
  // Certificate: value is within `gap` of the optimum (|value - dual bound|,
  // where the bound is computed from the duals made feasible in double). Zero
  // up to rounding of doubles.
  double gap = 0;
};

// Throws Error(kBadInput), naming row and column, if any cost is NaN or
// infinite; Error(kUsage) for a negative n or a stride shorter than a row.
// n = 0 is allowed.
// Among equal optima the result is deterministic, and where whole rows tie it
// prefers lower column indices; a constant matrix gives the identity.
// The same bits on every instruction set. Thread-safe; uses one thread. Memory
// O(n) beyond the result (lists of some 64 columns a row; no copy of the
// costs). Time: a few passes over the matrix for planted and network costs;
// O(n^3) at worst.
Assignment SolveAssignment(const CostMatrix& cost,
                           const AssignmentOptions& options = {});

}  // namespace rebasin

#endif  // REBASIN_ASSIGNMENT_ASSIGNMENT_H_
