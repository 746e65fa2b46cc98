// Coordinate descent over the group trees of a matching problem (Git Re-Basin,
// Algorithm 1), with exact bookkeeping: a new permutation is kept only if it
// gains more than rounding can hide, so the descent ends (Lemma 2).

#ifndef REBASIN_MATCH_DESCENT_DESCENT_H_
#define REBASIN_MATCH_DESCENT_DESCENT_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "assignment/assignment.h"
#include "base/random.h"
#include "match/costs/gram.h"
#include "match/costs/tree_costs.h"
#include "match/problem.h"
#include "rebasin/alignment.h"

namespace rebasin {

class Descent {
 public:
  Descent(const Problem& problem, ThreadPool& pool, GramBuilder& grams,
          int64_t cost_memory);

  int64_t trees() const { return static_cast<int64_t>(states_.size()); }
  const Alignment& alignment() const { return alignment_; }

  // Starts, each from the identity and with nothing known.
  //
  // All trees count as matched already. `duals`, by tree, as an earlier descent
  // of the same B left them, save time.
  void StartAt(const Alignment& alignment,
               std::vector<AssignmentDuals> duals = {});
  // Matches one tree after the other, each by what earlier ones and fixed axes
  // say about it, most evidence first; with `random`, in random order.
  void StartAnchored(Random* random);
  // Matches one tree after the other by incoming weights alone.
  void StartGreedy();
  // The order in which an anchored start would match the trees; nothing is
  // known afterwards.
  std::vector<int> AnchoredOrder();

  // One visit to every tree, in the order given. Returns the gain.
  double Pass(const std::vector<int>& order);
  // One visit to one tree. Returns the gain.
  double Visit(int tree);

  // The numbers of A changed in place: the tree's costs are void. Its
  // permutation and its duals stay, as a start.
  void Forget(int tree);
  // Of the tree's last assignment; another descent can go on from them.
  const AssignmentDuals& duals(int tree) const { return states_[tree].duals; }
  void SetDuals(int tree, AssignmentDuals duals);
  // The order in which the start matched the trees.
  const std::vector<int>& order() const { return order_; }
  // Of each tree's last assignment.
  std::vector<AssignmentDuals> Duals() const;

  // Called after each visit of a tree, if set.
  std::function<void()> visited;

 private:
  struct TreeState {
    TreeCosts costs;
    AssignmentDuals duals;
    bool matched = false;  // its permutation means something to others
    bool settled = false;  // solved for exactly the present costs
    bool keep = true;      // costs stay in memory between visits
  };

  using Usable = std::function<bool(const Occurrence&)>;

  void Reset();
  bool IsAnchored(const Occurrence& occurrence) const;
  bool IsIncoming(const Occurrence& occurrence) const;
  void StartInOrder(const std::function<int()>& next, const Usable& usable);
  int MostEvident(const Usable& usable) const;
  double Visit(int tree, const Usable& usable);
  bool IsSettled(TreeState& state, const Usable& usable);
  double Improve(TreeState& state, bool changed);
  Alignment Propose(TreeState& state);
  double Gain(const TreeState& state, const Alignment& proposal) const;

  const Problem& problem_;
  ThreadPool& pool_;
  GramBuilder& grams_;
  std::vector<TreeState> states_;
  Alignment alignment_;
  std::vector<int> order_;
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_DESCENT_DESCENT_H_
