// The matching costs of one group tree, updated when the permutations of its
// neighbours change.
//
// Costs are linear: the value of a choice of permutations is a sum of entries
// of a few Gram matrices, one for each set of the tree's groups that occurs
// together in a tensor. If a neighbour moves a few units, only the difference
// is added.

#ifndef REBASIN_MATCH_COSTS_TREE_COSTS_H_
#define REBASIN_MATCH_COSTS_TREE_COSTS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "match/costs/cost_part.h"
#include "match/costs/gram.h"
#include "match/problem.h"
#include "match/state/state_tensors.h"

namespace rebasin {

class TreeCosts {
 public:
  // Terms in which the tree occurs twice or more have a quadratic value. They
  // are either excluded from the costs, or added once for each occurrence with
  // the others contracted.
  enum class Quadratic { kSetApart, kAsLinear };

  TreeCosts(const Problem& problem, int tree,
            Quadratic quadratic = Quadratic::kSetApart);

  int root() const { return root_; }
  const std::vector<CostPart>& parts() const { return parts_; }
  // The excluded terms; they are not part of the costs.
  const std::vector<int>& quadratic_terms() const { return quadratic_terms_; }

  // The number of contracted elements for each unit, over `usable` terms.
  double Evidence(const std::function<bool(const Occurrence&)>& usable) const;

  // The operations of the matrix products of one occurrence of the tree; 0 if
  // it is not part of the costs.
  double Flops(const Occurrence& where) const;

  // Updates the costs of all `usable` occurrences to `alignment`. Returns
  // whether anything changed.
  bool Refresh(const Alignment& alignment,
               const std::function<bool(const Occurrence&)>& usable,
               GramBuilder& grams);

  // The same, but skips occurrences, starting with the lightest, that probably
  // can be proved irrelevant afterwards (IsStillOptimal). This assumes that
  // units agree as well in the skipped occurrences as in the others.
  bool RefreshHeaviest(const Alignment& alignment,
                       const std::function<bool(const Occurrence&)>& usable,
                       GramBuilder& grams);

  // Returns true if the tree's permutation in `alignment`, which is optimal for
  // the last refreshed costs with these column duals, is proved optimal over
  // all `usable` occurrences: no included occurrence has changed, and the
  // others cannot matter (match/costs/bound.h).
  bool IsStillOptimal(const Alignment& alignment,
                      std::span<const double> column_duals,
                      const std::function<bool(const Occurrence&)>& usable,
                      ThreadPool& pool);

  // Recomputes the costs; `add` adds the products of an occurrence.
  void Recompute(
      const std::function<void(const Occurrence&, const CostTarget&)>& add);

  // Whether the state below includes the costs. Factors are not stored.
  bool CanSaveCosts() const;
  // The costs, if they are in memory, and which neighbours they are for. The
  // names of all numbers begin with `prefix`. Restoring throws Error(kBadInput)
  // if something does not fit.
  void Save(const std::string& prefix, StateWriter& to) const;
  void Restore(const std::string& prefix, const StateReader& from);

  // Invalidates the costs after the models changed; keeps the memory.
  void Forget();
  // Invalidates the costs and releases the memory.
  void Release();
  // Releases the memory, but remembers which neighbours the costs were for: as
  // long as none changes, IsStillOptimal needs no costs.
  void ReleaseCosts();
  int64_t bytes() const;  // of all parts when computed

  // The sum of the costs of the tree's permutations in `alignment`.
  double Value(const Alignment& alignment) const;
  // The rounding error of a value in float32.
  double Tolerance() const;

 private:
  struct Included {
    Occurrence where;
    size_t part = 0;
    int64_t step = 0;  // first step in a part with factors
    bool included = false;
    // The contracted offsets of B, by slot, with which the part was computed;
    // if not included, those with which it was proved irrelevant.
    std::vector<std::vector<int64_t>> offsets;
  };

  bool CanLeaveOut() const;
  double Weight(const Included& item) const;
  double IncludedWeight() const;
  double Contrast(const Alignment& alignment) const;
  // Returns the occurrences to include next.
  std::vector<Included*> Heaviest(
      const Alignment& alignment,
      const std::function<bool(const Occurrence&)>& usable);
  void RestoreItem(const std::string& name, const StateReader& from,
                   Included& item) const;
  void AllocateParts();
  CostTarget TargetOf(const Included& item);

  // Every slot except the item's own, permuted by `alignment`.
  std::vector<Contraction> Contractions(const Included& item,
                                        const Alignment& alignment) const;

  void AddOccurrence(const Occurrence& occurrence, Quadratic quadratic);
  size_t PartFor(const Slot& slot);
  int64_t Steps(const Included& item) const;
  void FactorParts();
  bool Update(Included& item, const Included* next, const Alignment& alignment,
              GramBuilder& grams);
  bool UpdateAll(std::span<Included* const> items, const Alignment& alignment,
                 GramBuilder& grams);

  const Problem& problem_;
  int root_;
  std::vector<CostPart> parts_;
  std::vector<Included> items_;
  std::vector<int> quadratic_terms_;
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_COSTS_TREE_COSTS_H_
