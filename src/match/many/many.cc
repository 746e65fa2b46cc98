// Matches many models: checks, dispatch to the method, and the report.

#include <utility>

#include "base/parallel.h"
#include "match/many/consistent_many.h"
#include "match/many/many_models.h"
#include "match/many/many_rounds.h"
#include "rebasin/error.h"
#include "rebasin/match.h"

namespace rebasin {
namespace {

ManyResult Match(const ManyModels& models, const ManyOptions& options,
                 const Run& run, ThreadPool& pool) {
  switch (options.method) {
    case ManyMethod::kMergeMany:
      return MergeMany(models, options, run, pool);
    case ManyMethod::kConsistent:
      return MatchConsistentMany(models, options, run, pool);
    case ManyMethod::kFrankWolfe:
      return MatchFrankWolfeMany(models, options, run, pool);
  }
  throw Error(ErrorCode::kUsage, "unknown method for matching many models");
}

}  // namespace

ManyResult MatchMany(std::span<const Checkpoint> models,
                     std::shared_ptr<const Symmetry> symmetry,
                     const ManyOptions& options, const Run& run) {
  if (options.step && options.method != ManyMethod::kMergeMany) {
    throw Error(ErrorCode::kUsage,
                "a custom step is possible with MergeMany only; the other "
                "methods match weights");
  }
  ThreadPool pool(run);
  const bool whole = options.step != nullptr;
  const ManyModels many = PrepareMany(models, std::move(symmetry), whole, pool);
  ManyOptions inner = options;
  inner.match.balance = false;
  ManyResult result = options.match.balance
                          ? Match(BalancedMany(many, pool), inner, run, pool)
                          : Match(many, inner, run, pool);
  result.distances_before = PairDistances(many, pool);
  result.distances_after =
      PairDistances(Permuted(many, result.alignments, run), pool);
  return result;
}

}  // namespace rebasin
