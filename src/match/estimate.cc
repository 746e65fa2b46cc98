// Estimates the work of matching from shapes and types alone.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "match/cost_memory.h"
#include "match/costs/gram.h"
#include "match/descent/descent.h"
#include "match/problem.h"
#include "rebasin/match.h"

namespace rebasin {
namespace {

// The rest of an annealed start, in sweeps over all products with soft matrices
// in the place of permutations, which take about as long again.
constexpr double kAnnealingSweeps = 50 * 2;
// Further passes over unrelated models, which change many units.
constexpr double kUnrelatedPasses = 3;
// Solving costs that have no clear best choice, against those that have one.
constexpr double kHardSolving = 10;

// The products that are probably computed in the first pass of related models:
// as TreeCosts::RefreshHeaviest does it, if all weights are of one size and the
// contrast is that of noise as large as the weights.
double HeaviestFlops(const TreeWork& work) {
  constexpr double kContrast = 0.7, kSafety = 0.7;
  double included = work.first_flops;
  double left_out =
      std::accumulate(work.more_flops.begin(), work.more_flops.end(), 0.0);
  std::vector<double> heaviest = work.more_flops;
  std::sort(heaviest.rbegin(), heaviest.rend());
  double flops = 0;
  for (const double more : heaviest) {
    if (left_out * (1 - kContrast) <= kSafety * kContrast * included) break;
    flops += more;
    included += more;
    left_out -= more;
  }
  return flops;
}

double Effort(const MatchOptions& options) {
  const bool anneals = options.start == MatchStart::kAnnealed ||
                       options.start == MatchStart::kBest;
  const bool descends = options.start != MatchStart::kAnnealed;
  return (anneals ? kAnnealingSweeps : 0) + (descends ? 1 : 0) +
         options.restarts;
}

class Estimator {
 public:
  Estimator(const Checkpoint& model, std::shared_ptr<const Symmetry> symmetry,
            const MatchOptions& options, const MatchSpeed& speed)
      : problem_(Problem::OfShapes(model, std::move(symmetry))),
        options_(options),
        speed_(speed),
        pool_(1),
        flops_(IsBFloat16(model) ? speed.bfloat16_flops : speed.flops),
        reading_(2 * static_cast<double>(model.bytes()) / speed.bytes) {}

  MatchEstimate Run() {
    GramBuilder grams(pool_);
    const int64_t memory = CostMemory(problem_, options_, pool_);
    const auto work = Descent(problem_, pool_, grams, memory).Work();
    MatchEstimate all;
    double unrelated = 0;
    for (const TreeWork& tree : work) {
      all.groups.push_back(Group(tree));
      const GroupEstimate& group = all.groups.back();
      all.flops += group.start_flops + group.pass_flops;
      all.seconds += group.start_seconds + group.pass_seconds;
      unrelated += Unrelated(tree);
      if (tree.keeps_costs) {
        all.cost_bytes += static_cast<double>(tree.cost_bytes);
      }
    }
    const double effort = Effort(options_);
    // The weights are measured, read for proofs, and measured at the end.
    all.reading_seconds = 3 * reading_;
    all.flops *= effort;
    all.seconds = all.seconds * effort + all.reading_seconds;
    all.unrelated_seconds = unrelated * effort + all.reading_seconds;
    all.memory = static_cast<double>(kMemoryBesideCosts + PeakOfCosts(work));
    return all;
  }

 private:
  static bool IsBFloat16(const Checkpoint& model) {
    int64_t bytes = 0;
    for (const Tensor& tensor : model.tensors()) {
      if (tensor.dtype == DType::kBF16) {
        bytes += static_cast<int64_t>(tensor.bytes.size());
      }
    }
    return 2 * bytes > model.bytes();
  }

  double SolveSeconds(const TreeWork& work) const {
    return static_cast<double>(work.cost_bytes) / sizeof(float) / speed_.solved;
  }

  GroupEstimate Group(const TreeWork& work) const {
    const auto root =
        static_cast<size_t>(problem_.roots()[static_cast<size_t>(work.tree)]);
    GroupEstimate group{.group = problem_.symmetry()->groups()[root].name,
                        .start_flops = work.first_flops,
                        .pass_flops = HeaviestFlops(work),
                        .cost_bytes = work.cost_bytes,
                        .keeps_costs = work.keeps_costs};
    // Costs that are not kept are computed anew.
    if (!group.keeps_costs && group.pass_flops > 0) {
      group.pass_flops += group.start_flops;
    }
    group.start_seconds = group.start_flops / flops_ + SolveSeconds(work);
    group.pass_seconds = group.pass_flops / flops_;
    if (group.pass_flops > 0) group.pass_seconds += SolveSeconds(work);
    return group;
  }

  double Unrelated(const TreeWork& work) const {
    const double pass =
        std::accumulate(work.more_flops.begin(), work.more_flops.end(),
                        work.first_flops) /
            flops_ +
        kHardSolving * SolveSeconds(work);
    return pass * (1 + kUnrelatedPasses);
  }

  const Problem problem_;
  const MatchOptions& options_;
  const MatchSpeed& speed_;
  ThreadPool pool_;
  const double flops_;
  const double reading_;
};

}  // namespace

MatchEstimate EstimateMatch(const Checkpoint& model,
                            std::shared_ptr<const Symmetry> symmetry,
                            const MatchOptions& options,
                            const MatchSpeed& speed) {
  return Estimator(model, std::move(symmetry), options, speed).Run();
}

int TypicalVisits(ManyMethod method) {
  switch (method) {
    case ManyMethod::kMergeMany:
      return 25;
    case ManyMethod::kConsistent:
      return 90;
    case ManyMethod::kFrankWolfe:
      return 150;
  }
  return 0;
}

}  // namespace rebasin
