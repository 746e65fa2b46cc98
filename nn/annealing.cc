#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/text.h"
#include "nn/blend.h"
#include "nn/evaluator.h"
#include "rebasin/error.h"
#include "rebasin/nn/match_baselines.h"
#include "rebasin/repair.h"

namespace rebasin {
namespace {

using Clock = std::chrono::steady_clock;

// Two units that change places.
struct Swap {
  int group = 0;
  int64_t copy = 0;
  size_t i = 0, j = 0;
};

class Annealing {
 public:
  Annealing(const std::shared_ptr<const Graph>& graph, const Checkpoint& a,
            const Checkpoint& b, const Alignment& start, const Dataset& data,
            const AnnealingOptions& options, const rebasin::Run& run)
      : options_(options),
        run_(run),
        random_(run.seed),
        pool_(run.threads),
        held_out_(
            HoldOut(data, options.examples, HasBatchNorm(*graph), run.seed)),
        judge_(graph, held_out_.held_out,
               {.compute = options.compute,
                .normalization = options.normalization,
                .batch_size = held_out_.batch_size},
               {.threads = run.threads}, HasBatchNorm(*graph)),
        blend_(graph, a, b, start, pool_),
        now_(start),
        best_(start) {
    const Symmetry& symmetry = start.symmetry();
    for (size_t g = 0; g < symmetry.groups().size(); ++g) {
      if (symmetry.groups()[g].size > 1) {
        groups_.push_back(static_cast<int>(g));
      }
    }
    if (groups_.empty()) {
      throw Error(ErrorCode::kUsage,
                  "the symmetry of this network has no units to swap");
    }
  }

  AnnealingResult Run(const Checkpoint& a, const Checkpoint& b) {
    begin_ = Clock::now();
    const double first = Loss(now_);
    double loss = first, best = first;
    int64_t moves = 0, accepted = 0;
    for (double used = 0; used < 1; used = Used(++moves)) {
      Alignment next = now_;
      Scramble(next, SwapsAt(used));
      const double found = Loss(next);
      if (Accepts(found - loss, first * TemperatureAt(used))) {
        now_ = std::move(next);
        loss = found;
        ++accepted;
      }
      if (loss < best) {
        best = loss;
        best_ = now_;
      }
      if (!Report(used, loss, best)) break;
    }
    return {.alignment = best_,
            .report = DescribeAlignment(a, b, best_, run_),
            .start_loss = first,
            .best_loss = best,
            .moves = moves,
            .accepted = accepted};
  }

 private:
  // The used share of the budget.
  double Used(int64_t moves) const {
    if (options_.moves > 0) {
      return static_cast<double>(moves) / static_cast<double>(options_.moves);
    }
    const std::chrono::duration<double> past = Clock::now() - begin_;
    return past.count() / options_.seconds;
  }

  double TemperatureAt(double used) const {
    return options_.first_temperature *
           std::pow(options_.last_temperature / options_.first_temperature,
                    used);
  }

  // Returns false if the search should stop with the best result so far.
  bool Report(double used, double loss, double best) const {
    if (run_.progress) {
      run_.progress({.stage = "annealing: midpoint loss " + Number(loss) +
                              ", best " + Number(best),
                     .done = static_cast<int64_t>(1000 * used),
                     .total = 1000});
    }
    return !run_.Stopped();
  }

  int64_t SwapsAt(double used) const {
    const auto most = static_cast<double>(options_.swaps);
    return std::max<int64_t>(1, std::llround(most * (1 - used)));
  }

  bool Accepts(double change, double temperature) {
    // Always drawn, so that the sequence does not depend on the losses.
    const double chance = random_.Uniform();
    return change < 0 || chance < std::exp(-change / temperature);
  }

  void Scramble(Alignment& alignment, int64_t swaps) {
    for (int64_t s = 0; s < swaps; ++s) {
      const Swap swap = Draw(alignment.symmetry());
      auto units = alignment.mutable_permutation(swap.group, swap.copy);
      std::swap(units[swap.i], units[swap.j]);
    }
  }

  Swap Draw(const Symmetry& symmetry) {
    const int group = groups_[random_.Below(groups_.size())];
    const auto size = static_cast<uint64_t>(symmetry.groups()[group].size);
    const size_t i = random_.Below(size);
    const size_t step = 1 + random_.Below(size - 1);
    return {.group = group,
            .copy = static_cast<int64_t>(random_.Below(symmetry.Copies(group))),
            .i = i,
            .j = (i + step) % size};
  }

  double Loss(const Alignment& alignment) {
    blend_.Set(alignment, 0.5);
    const double loss = judge_.Run(blend_.weights()).loss;
    return std::isfinite(loss) ? loss : HUGE_VAL;
  }

  const AnnealingOptions& options_;
  const rebasin::Run& run_;
  Random random_;
  ThreadPool pool_;
  const HeldOut held_out_;
  nn::Evaluator judge_;
  nn::Blend blend_;
  Alignment now_, best_;
  std::vector<int> groups_;  // groups with units to swap
  Clock::time_point begin_;
};

void CheckOptions(const AnnealingOptions& options) {
  const bool sound = options.seconds > 0 && options.moves >= 0 &&
                     options.swaps >= 1 && options.examples >= 1 &&
                     options.first_temperature >= options.last_temperature &&
                     options.last_temperature > 0;
  if (sound) return;
  throw Error(ErrorCode::kUsage,
              "annealing needs a positive budget, at least one swap and one "
              "example, and falling temperatures");
}

}  // namespace

AnnealingResult MatchAnnealing(const std::shared_ptr<const Graph>& graph,
                               const Checkpoint& a, const Checkpoint& b,
                               const std::shared_ptr<const Symmetry>& symmetry,
                               const Dataset& data,
                               const AnnealingOptions& options,
                               const Run& run) {
  const auto begin = Clock::now();
  CheckOptions(options);
  const Alignment start =
      options.start != nullptr ? *options.start : Alignment(symmetry);
  // Also checks that the models fit.
  DescribeAlignment(a, b, start, run);
  AnnealingResult result =
      Annealing(graph, a, b, start, data, options, run).Run(a, b);
  result.report.start = "annealing";
  result.report.converged = true;
  result.report.seconds =
      std::chrono::duration<double>(Clock::now() - begin).count();
  return result;
}

}  // namespace rebasin
