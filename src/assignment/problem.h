// Data shared by the stages of the solver: the problem as a minimisation, the
// current matching, and its prices.

#ifndef REBASIN_ASSIGNMENT_PROBLEM_H_
#define REBASIN_ASSIGNMENT_PROBLEM_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "assignment/assignment.h"
#include "assignment/kernels.h"

namespace rebasin::assignment {

// Minimise the sum of sign * cost.
struct Problem {
  CostMatrix matrix;
  double sign = 1;  // -1 to maximise
  // sign * 2^k, with k such that all scaled costs lie in [-1, 1].
  float scale = 1;

  size_t n() const { return static_cast<size_t>(matrix.n); }
  const float* Row(size_t i) const {
    return matrix.data + static_cast<int64_t>(i) * matrix.stride;
  }
  double Cost(size_t i, size_t j) const { return sign * Row(i)[j]; }
};

// Rows and columns matched so far; -1 is free.
struct Matching {
  std::vector<int32_t> column_of_row;
  std::vector<int32_t> row_of_column;

  explicit Matching(size_t n) : column_of_row(n, -1), row_of_column(n, -1) {}

  // Matches the row and the column; returns the row that was matched to the
  // column before and is now free, if any.
  int32_t Assign(size_t row, size_t column) {
    const int32_t evicted = row_of_column[column];
    if (evicted >= 0) column_of_row[static_cast<size_t>(evicted)] = -1;
    row_of_column[column] = static_cast<int32_t>(row);
    column_of_row[row] = static_cast<int32_t>(column);
    return evicted;
  }

  void Release(size_t row) {
    row_of_column[static_cast<size_t>(column_of_row[row])] = -1;
    column_of_row[row] = -1;
  }

  bool IsFree(size_t row) const { return column_of_row[row] < 0; }

  size_t CountFree() const {
    return static_cast<size_t>(
        std::count(column_of_row.begin(), column_of_row.end(), -1));
  }

  std::vector<int32_t> FreeRows() const {
    std::vector<int32_t> rows;
    for (size_t i = 0; i < column_of_row.size(); ++i) {
      if (IsFree(i)) rows.push_back(static_cast<int32_t>(i));
    }
    return rows;
  }
};

// Feasible duals: sign * cost + price - dual >= 0 for each row and column, and
// equal to zero for the matched ones. Prices are padded for the kernels.
struct Duals {
  std::vector<double> rows;
  std::vector<double> prices;

  explicit Duals(size_t n) : rows(n), prices(PaddedVector<double>(n, 0)) {}
};

}  // namespace rebasin::assignment

#endif  // REBASIN_ASSIGNMENT_PROBLEM_H_
