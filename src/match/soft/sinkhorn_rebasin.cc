#include "match/soft/sinkhorn_rebasin.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "match/problem.h"
#include "match/soft/sinkhorn.h"
#include "match/soft/soft_alignment.h"
#include "match/soft/soft_match.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

constexpr double kTemperature = 1;
constexpr int kSinkhornIterations = 20;
// Iterations for the multipliers of the implicit derivative.
constexpr int kMultiplierIterations = 20;
// Parameters of Adam.
constexpr double kLearningRate = 0.1, kFirst = 0.9, kSecond = 0.999;
constexpr double kEpsilon = 1e-8;

// The free matrix of one group, its Sinkhorn image, and Adam's moments.
struct Relaxed {
  std::vector<float> free, soft, first, second;
};

// The derivative of <costs, Sinkhorn(free / temperature)> with respect to
// `free`, by the implicit function theorem: P o (costs - u 1' - 1 v') /
// temperature, where u and v make all its rows and columns sum to zero.
std::vector<float> Derivative(const std::vector<float>& soft,
                              const std::vector<float>& costs, size_t n,
                              const ThreadPool& pool) {
  std::vector<double> u(n, 0), v(n, 0);
  for (int iteration = 0; iteration < kMultiplierIterations; ++iteration) {
    pool.CheckStop();
    for (size_t i = 0; i < n; ++i) {
      u[i] = 0;
      for (size_t j = 0; j < n; ++j) {
        u[i] += soft[i * n + j] * (costs[i * n + j] - v[j]);
      }
    }
    std::fill(v.begin(), v.end(), 0.0);
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j) {
        v[j] += soft[i * n + j] * (costs[i * n + j] - u[i]);
      }
    }
  }
  std::vector<float> derivative(n * n);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      derivative[i * n + j] = static_cast<float>(
          soft[i * n + j] * (costs[i * n + j] - u[i] - v[j]) / kTemperature);
    }
  }
  return derivative;
}

void AscendByAdam(Relaxed& group, const std::vector<float>& derivative,
                  int step) {
  const double unbias_first = 1 - std::pow(kFirst, step);
  const double unbias_second = 1 - std::pow(kSecond, step);
  for (size_t k = 0; k < derivative.size(); ++k) {
    const double g = derivative[k];
    const double first = kFirst * group.first[k] + (1 - kFirst) * g;
    const double second = kSecond * group.second[k] + (1 - kSecond) * g * g;
    group.first[k] = static_cast<float>(first);
    group.second[k] = static_cast<float>(second);
    group.free[k] +=
        static_cast<float>(kLearningRate * (first / unbias_first) /
                           (std::sqrt(second / unbias_second) + kEpsilon));
  }
}

class SinkhornRebasin {
 public:
  SinkhornRebasin(const Problem& problem, ThreadPool& pool)
      : problem_(problem),
        pool_(pool),
        match_(problem, soft_, pool),
        groups_(problem.roots().size()) {}

  // Visits all groups once.
  void Step(int step) {
    for (size_t tree = 0; tree < groups_.size(); ++tree) {
      match_.Visit(static_cast<int>(tree), [&](const TreeCosts& costs) {
        Move(groups_[tree], costs, step);
      });
    }
  }

  Alignment Rounded() const {
    Alignment alignment(problem_.symmetry());
    for (size_t tree = 0; tree < groups_.size(); ++tree) {
      const std::vector<float>& soft = groups_[tree].soft;
      if (soft.empty()) continue;
      const int root = problem_.roots()[tree];
      const int64_t n = problem_.symmetry()->groups()[root].size;
      const Assignment best = SolveAssignment(
          {.data = soft.data(), .n = n, .stride = n}, {.maximize = true});
      std::copy(best.column_of_row.begin(), best.column_of_row.end(),
                alignment.mutable_permutation(root).begin());
    }
    return alignment;
  }

 private:
  void Move(Relaxed& group, const TreeCosts& costs, int step) {
    const CostPart& part = costs.parts()[0];
    const int64_t n = part.n();
    if (group.free.empty()) {
      const auto count = static_cast<size_t>(n * n);
      group.free.assign(count, 0.0f);
      group.first = group.second = group.free;
      group.soft.assign(count, 1.0f / static_cast<float>(n));
    }
    AscendByAdam(
        group, Derivative(group.soft, part.gram, static_cast<size_t>(n), pool_),
        step);
    pool_.CheckStop();
    group.soft = Sinkhorn({.data = group.free.data(), .n = n, .stride = n},
                          kTemperature, kSinkhornIterations);
    soft_.Set(part.slot, group.soft);
  }

  const Problem& problem_;
  const ThreadPool& pool_;
  SoftAlignment soft_;
  SoftMatch match_;
  std::vector<Relaxed> groups_;  // by tree
};

void RefuseNested(const Symmetry& symmetry) {
  for (size_t g = 0; g < symmetry.groups().size(); ++g) {
    const int group = static_cast<int>(g);
    if (symmetry.Root(group) == group) continue;
    throw Error(ErrorCode::kUnsupported,
                "sinkhorn cannot permute groups inside other groups, such as " +
                    Quoted(symmetry.groups()[g].name));
  }
}

}  // namespace

MatchResult MatchSinkhorn(const Checkpoint& a, const Checkpoint& b,
                          const std::shared_ptr<const Symmetry>& symmetry,
                          const MatchOptions& options, const Run& run) {
  const auto start = std::chrono::steady_clock::now();
  CheckSameStructure(a, b);
  symmetry->CheckFits(a, {.allow_uncovered = true});
  RefuseNested(*symmetry);
  ThreadPool pool(run);
  const Problem problem(a, b, symmetry, pool);
  SinkhornRebasin rebasin(problem, pool);
  const int steps = options.max_passes;
  for (int step = 1; step <= steps; ++step) {
    run.Report("matching: sinkhorn", step - 1, steps);
    rebasin.Step(step);
  }
  Alignment alignment = rebasin.Rounded();
  MatchReport report = DescribeAlignment(a, b, alignment, run);
  report.start = "sinkhorn";
  report.passes = steps;
  report.converged = true;
  report.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return {std::move(alignment), std::move(report)};
}

}  // namespace rebasin
