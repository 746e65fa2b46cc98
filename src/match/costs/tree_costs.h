// The matching costs of one group tree, kept up to date as the permutations of
// its neighbours change.
//
// Costs are linear: the value of a choice of permutations is a sum of entries
// of a few Gram matrices, one for each set of the tree's groups that occurs
// together in some tensor. A neighbour that moved a few units is accounted for
// by the difference alone.

#ifndef REBASIN_MATCH_COSTS_TREE_COSTS_H_
#define REBASIN_MATCH_COSTS_TREE_COSTS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "match/costs/cost_part.h"
#include "match/costs/gram.h"
#include "match/problem.h"

namespace rebasin {

class TreeCosts {
 public:
  // Terms in which the tree occurs more than once have a quadratic value. They
  // are set apart, or taken once for each occurrence, the others contracted.
  enum class Quadratic { kSetApart, kAsLinear };

  TreeCosts(const Problem& problem, int tree,
            Quadratic quadratic = Quadratic::kSetApart);

  int root() const { return root_; }
  const std::vector<CostPart>& parts() const { return parts_; }
  // The terms that were set apart; they are not part of the costs.
  const std::vector<int>& quadratic_terms() const { return quadratic_terms_; }

  // Number of contracted elements per unit that `usable` terms would give.
  double Evidence(const std::function<bool(const Occurrence&)>& usable) const;

  // Brings the costs to the state of `alignment`, over the occurrences that
  // are `usable`. Returns whether anything changed.
  bool Refresh(const Alignment& alignment,
               const std::function<bool(const Occurrence&)>& usable,
               GramBuilder& grams);

  // The same, but leaves out occurrences, lightest first, that are likely to be
  // proved irrelevant afterwards (IsStillOptimal): if the units agree as well
  // in what is left out as they do in the rest, nothing there can overturn
  // them.
  bool RefreshMost(const Alignment& alignment,
                   const std::function<bool(const Occurrence&)>& usable,
                   GramBuilder& grams);

  // Whether the tree's permutation in `alignment`, optimal for the costs as
  // last refreshed with these column duals, is certainly still optimal over all
  // `usable` occurrences: nothing included has changed, and what is not
  // included cannot matter (match/bound.h).
  bool IsStillOptimal(const Alignment& alignment,
                      std::span<const double> column_duals,
                      const std::function<bool(const Occurrence&)>& usable,
                      ThreadPool& pool);

  // Computes the costs anew: `add` adds an occurrence's products.
  void Recompute(
      const std::function<void(const Occurrence&, const CostTarget&)>& add);

  // Forgets the costs, since the models changed; their memory is kept.
  void Forget();
  // Forgets the costs and gives their memory back.
  void Release();
  int64_t bytes() const;  // of all parts when computed

  // Sum of the costs chosen by the tree's permutations in `alignment`.
  double Value(const Alignment& alignment) const;
  // What rounding to float32 can hide in a value.
  double Tolerance() const;

 private:
  struct Included {
    Occurrence where;
    size_t part = 0;
    int64_t step = 0;  // the first of its own, where the part has factors
    bool included = false;
    // The contracted offsets of B, by slot, that the part accounts for; or, if
    // not included, with which it was proved not to matter.
    std::vector<std::vector<int64_t>> offsets;
  };

  bool CanLeaveOut() const;
  double Weight(const Included& item) const;
  double IncludedWeight() const;
  double Contrast(const Alignment& alignment) const;
  // Of the occurrences not included yet, those to include now.
  std::vector<Included*> Heaviest(
      const Alignment& alignment,
      const std::function<bool(const Occurrence&)>& usable);
  void AllocateParts();
  CostTarget TargetOf(const Included& item);

  // Every slot but the item's own, as `alignment` permutes it.
  std::vector<Contraction> Contractions(const Included& item,
                                        const Alignment& alignment) const;

  void AddOccurrence(const Occurrence& occurrence, Quadratic quadratic);
  size_t PartFor(const Slot& slot);
  int64_t Steps(const Included& item) const;
  void FactorParts();
  bool Update(Included& item, const Alignment& alignment, GramBuilder& grams);

  const Problem& problem_;
  int root_;
  std::vector<CostPart> parts_;
  std::vector<Included> items_;
  std::vector<int> quadratic_terms_;
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_COSTS_TREE_COSTS_H_
