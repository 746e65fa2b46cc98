#include "match/many/consistent_many.h"

#include <utility>

#include "match/many/frank_wolfe.h"
#include "match/many/many_annealing.h"
#include "match/many/many_rounds.h"
#include "match/many/own_order.h"

namespace rebasin {
namespace {

// Slower cooling ends at a smaller spread.
constexpr ManyAnnealingOptions kSlowly = {.sweeps = 24};

// Shares of the mean of all permutations in the soft starts of Frank-Wolfe.
// They alternate, each starting from the best result so far. If no single model
// can be improved, nothing moves without softening; with complete softening the
// result so far would be lost, and units could not be distinguished. On trained
// networks each of the first three or four repeats finds an improvement.
constexpr double kSoftness[] = {0.8, 0.9};
constexpr int kMaxRepeats = 6;

std::vector<SoftStart> Softened(const std::vector<Alignment>& alignments,
                                double softness) {
  std::vector<SoftStart> start;
  for (const Alignment& alignment : alignments) {
    start.push_back({.alignment = alignment, .softness = softness});
  }
  return start;
}

// Starts with one model known and the others soft.
std::vector<SoftStart> FirstModelKnown(const ManyModels& many) {
  auto start = Softened({many.size(), Alignment(many.symmetry)}, 1);
  start[0].softness = 0;
  return start;
}

// Runs Frank-Wolfe from the soft start, then rounds of MergeMany.
ManyResult FrankWolfeFrom(const std::vector<SoftStart>& start,
                          const ManyModels& many, const ManyOptions& options,
                          const Run& run, ThreadPool& pool) {
  const FrankWolfeOutcome soft =
      MatchByFrankWolfe(many.models, many.symmetry, start, {}, pool);
  return ContinueRounds(many, soft.alignments, options, run, pool);
}

// Repeats until neither softness helps.
ManyResult FrankWolfe(const ManyModels& many, const ManyOptions& options,
                      const Run& run, ThreadPool& pool) {
  ManyResult best =
      FrankWolfeFrom(FirstModelKnown(many), many, options, run, pool);
  // The first entry is the spread of the unpermuted models.
  best.spread_by_round.insert(best.spread_by_round.begin(),
                              ManyRounds(many, options, run, pool).Spread());
  int useless = 0;
  for (int repeat = 0; repeat < kMaxRepeats && useless < 2; ++repeat) {
    const auto start = Softened(best.alignments, kSoftness[repeat % 2]);
    const bool better =
        KeepBetter(best, FrankWolfeFrom(start, many, options, run, pool));
    useless = better ? 0 : useless + 1;
  }
  return best;
}

ManyResult AnnealedSlowly(const ManyModels& many, const ManyOptions& options,
                          const Run& run, ThreadPool& pool) {
  ManyResult best = MergeMany(many, options, run, pool);
  const std::vector<Alignment> annealed =
      ManyAnnealing(many, pool).Run(kSlowly);
  KeepBetter(best, ContinueRounds(many, annealed, options, run, pool));
  return best;
}

}  // namespace

ManyResult MatchConsistentMany(const ManyModels& models,
                               const ManyOptions& options, const Run& run,
                               ThreadPool& pool) {
  return MatchInOwnOrder(models, pool, [&](const ManyModels& many) {
    return AnnealedSlowly(many, options, run, pool);
  });
}

ManyResult MatchFrankWolfeMany(const ManyModels& models,
                               const ManyOptions& options, const Run& run,
                               ThreadPool& pool) {
  return MatchInOwnOrder(models, pool, [&](const ManyModels& many) {
    return FrankWolfe(many, options, run, pool);
  });
}

}  // namespace rebasin
