// Families of cost matrices that the tests share, and the checks on a result.

#ifndef REBASIN_TESTS_ASSIGNMENT_COSTS_H_
#define REBASIN_TESTS_ASSIGNMENT_COSTS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "assignment/assignment.h"
#include "base/random.h"

namespace rebasin {

struct Costs {
  int64_t n = 0;
  std::vector<float> values;

  explicit Costs(int64_t size)
      : n(size), values(static_cast<size_t>(size * size)) {}
  float& At(int64_t i, int64_t j) {
    return values[static_cast<size_t>(i * n + j)];
  }
  double At(int64_t i, int64_t j) const {
    return values[static_cast<size_t>(i * n + j)];
  }
  CostMatrix View() const { return {values.data(), n, n}; }
  double Largest() const {
    double largest = 0;
    for (float x : values) largest = std::max(largest, std::abs(double{x}));
    return largest;
  }
};

template <typename Function>
Costs Fill(int64_t n, const Function& cost) {
  Costs costs(n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      costs.At(i, j) = static_cast<float>(cost(i, j));
    }
  }
  return costs;
}

// A B^T of Gaussian factors; with `relu` their negative entries are zero.
inline Costs Gram(int64_t n, int64_t rank, bool relu, Random* random) {
  std::vector<double> a(static_cast<size_t>(n * rank)), b(a.size());
  for (auto* side : {&a, &b}) {
    for (double& x : *side) {
      x = random->Normal();
      if (relu) x = std::max(x, 0.0);
    }
  }
  return Fill(n, [&](int64_t i, int64_t j) {
    double sum = 0;
    for (int64_t k = 0; k < rank; ++k) {
      sum += a[static_cast<size_t>(i * rank + k)] *
             b[static_cast<size_t>(j * rank + k)];
    }
    return sum;
  });
}

// Makes every fifth row and column zero and every fifth equal to another.
inline Costs WithDeadAndDuplicated(Costs costs) {
  const Costs old = costs;
  return Fill(costs.n, [&](int64_t i, int64_t j) {
    if (i % 5 == 1 || j % 5 == 3) return 0.0;
    return old.At(i % 5 == 2 ? i - 2 : i, j % 5 == 4 ? j - 4 : j);
  });
}

inline const std::vector<std::string>& Families() {
  static const std::vector<std::string> names = {
      "uniform",    "normal",      "binary", "digits", "constant",  "rank one",
      "rank two",   "square gram", "relu",   "dead",   "row const", "col const",
      "heavy tail", "offset",      "huge",   "tiny",   "mixed",     "permuted"};
  return names;
}

inline Costs MakeCosts(const std::string& family, int64_t n, Random* random) {
  const auto normal = [&](int64_t, int64_t) { return random->Normal(); };
  const auto digit = [&](uint64_t bound) {
    return [random, bound](int64_t, int64_t) {
      return static_cast<double>(random->Below(bound));
    };
  };
  if (family == "uniform") {
    return Fill(n, [&](int64_t, int64_t) { return random->Uniform(); });
  }
  if (family == "binary") return Fill(n, digit(2));
  if (family == "digits") return Fill(n, digit(10));
  if (family == "constant") {
    return Fill(n, [](int64_t, int64_t) { return -2.5; });
  }
  if (family == "rank one") return Gram(n, 1, false, random);
  if (family == "rank two") return Gram(n, 2, false, random);
  if (family == "square gram") return Gram(n, n, false, random);
  if (family == "relu") return Gram(n, 4, true, random);
  if (family == "dead") {
    return WithDeadAndDuplicated(Gram(n, 3, false, random));
  }
  if (family == "row const") {
    return Fill(n, [](int64_t i, int64_t) { return i % 3; });
  }
  if (family == "col const") {
    return Fill(n, [](int64_t, int64_t j) { return j % 3; });
  }
  if (family == "heavy tail") {
    return Fill(
        n, [&](int64_t, int64_t) { return std::exp(4 * random->Normal()); });
  }
  if (family == "offset") {
    return Fill(n, [&](int64_t i, int64_t j) {
      return 1e6 * static_cast<double>(i + 3 * j) + random->Normal();
    });
  }
  if (family == "huge") {
    return Fill(n, [&](int64_t, int64_t) {
      return 3.4e38 * (2 * random->Uniform() - 1);
    });
  }
  if (family == "tiny") {
    return Fill(n, [&](int64_t, int64_t) { return 1e-40 * random->Normal(); });
  }
  if (family == "mixed") {
    return Fill(n, [&](int64_t, int64_t) {
      return std::pow(10.0, 8 * random->Uniform()) * random->Normal();
    });
  }
  if (family == "permuted") {
    const auto target = random->Permutation(n);
    return Fill(n, [&](int64_t i, int64_t j) {
      return (target[static_cast<size_t>(i)] == j ? -1 : 0) +
             0.2 * random->Normal();
    });
  }
  return Fill(n, normal);
}

// What doubles may lose on sums of n costs of this size.
inline double Tolerance(const Costs& costs) {
  return 1e-13 * static_cast<double>(costs.n) * costs.Largest();
}

inline double ValueOf(const Costs& costs, const std::vector<int32_t>& columns) {
  double sum = 0;
  for (size_t i = 0; i < columns.size(); ++i) {
    sum += costs.At(static_cast<int64_t>(i), columns[i]);
  }
  return sum;
}

// The result is a permutation, its value is the sum that it states, and its
// duals prove it: feasible, and without slack on the chosen pairs.
inline void ExpectProved(const Costs& costs, const Assignment& result,
                         bool maximize) {
  std::vector<int32_t> sorted = result.column_of_row;
  std::sort(sorted.begin(), sorted.end());
  ASSERT_EQ(static_cast<int64_t>(sorted.size()), costs.n);
  for (int32_t j = 0; j < costs.n; ++j) {
    ASSERT_EQ(sorted[static_cast<size_t>(j)], j);
  }
  const double tolerance = Tolerance(costs);
  EXPECT_NEAR(result.value, ValueOf(costs, result.column_of_row), tolerance);
  EXPECT_GE(result.gap, -tolerance);
  EXPECT_LE(result.gap, tolerance);
  const double sign = maximize ? -1 : 1;
  const double slack_tolerance = 1e-13 * costs.Largest();
  double least = 0, chosen = 0;
  for (int64_t i = 0; i < costs.n; ++i) {
    const auto row = static_cast<size_t>(i);
    for (int64_t j = 0; j < costs.n; ++j) {
      const double slack =
          sign * (costs.At(i, j) - result.duals.rows[row] -
                  result.duals.columns[static_cast<size_t>(j)]);
      least = std::min(least, slack);
      if (j == result.column_of_row[row]) chosen = std::max(chosen, slack);
    }
  }
  EXPECT_GE(least, -slack_tolerance);
  EXPECT_LE(chosen, slack_tolerance);
}

}  // namespace rebasin

#endif  // REBASIN_TESTS_ASSIGNMENT_COSTS_H_
