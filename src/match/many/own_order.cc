#include "match/many/own_order.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "match/many/model_sum.h"

namespace rebasin {
namespace {

// True if the bytes of model x come before those of y.
bool ComesBefore(const ManyModels& many, const std::vector<TensorPiece>& pieces,
                 size_t x, size_t y) {
  for (const TensorPiece& piece : pieces) {
    const auto a = Values(many.models[x], piece);
    const auto b = Values(many.models[y], piece);
    const int order = std::memcmp(a.data(), b.data(), a.size_bytes());
    if (order != 0) return order < 0;
  }
  return false;
}

// Sums over models, and MergeMany, depend on the order of the models. An order
// by content makes the result the same for any given order.
std::vector<size_t> OrderByContent(const ManyModels& many, ThreadPool& pool) {
  const auto pieces = MatchedPieces(many.models[0], *many.symmetry);
  std::vector<double> squares;
  for (const Checkpoint& model : many.models) {
    squares.push_back(SquaredNorm(model, pieces, pool));
  }
  std::vector<size_t> order(many.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) {
    if (squares[x] != squares[y]) return squares[x] > squares[y];
    return ComesBefore(many, pieces, x, y);
  });
  return order;
}

ManyModels Reordered(const ManyModels& many, const std::vector<size_t>& order) {
  ManyModels reordered{.symmetry = many.symmetry, .models = {}};
  for (const size_t m : order) reordered.models.push_back(many.models[m]);
  return reordered;
}

// Returns to the given order, with the first model unpermuted.
std::vector<Alignment> InGivenOrder(const std::vector<Alignment>& alignments,
                                    const std::vector<size_t>& order) {
  std::vector<Alignment> given = alignments;
  for (size_t m = 0; m < order.size(); ++m) given[order[m]] = alignments[m];
  return RelativeToFirst(std::move(given));
}

}  // namespace

std::vector<Alignment> RelativeToFirst(std::vector<Alignment> alignments) {
  const Alignment back = alignments[0].Inverse();
  for (Alignment& alignment : alignments) alignment = alignment.Then(back);
  return alignments;
}

ManyResult MatchInOwnOrder(
    const ManyModels& models, ThreadPool& pool,
    const std::function<ManyResult(const ManyModels&)>& match) {
  const std::vector<size_t> order = OrderByContent(models, pool);
  ManyResult result = match(Reordered(models, order));
  result.alignments = InGivenOrder(result.alignments, order);
  return result;
}

bool KeepBetter(ManyResult& best, ManyResult other) {
  const double spread = best.spread_by_round.back();
  best.rounds += other.rounds;
  if (other.spread_by_round.back() >= spread) return false;
  best.alignments = std::move(other.alignments);
  best.converged = other.converged;
  for (const double next : other.spread_by_round) {
    if (next < spread) best.spread_by_round.push_back(next);
  }
  return true;
}

}  // namespace rebasin
