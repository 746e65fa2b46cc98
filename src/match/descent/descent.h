// Coordinate descent over the group trees of a matching problem (Git Re-Basin,
// Algorithm 1). A new permutation is kept only if its gain exceeds the rounding
// error, so the descent ends (Lemma 2).

#ifndef REBASIN_MATCH_DESCENT_DESCENT_H_
#define REBASIN_MATCH_DESCENT_DESCENT_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "assignment/assignment.h"
#include "base/random.h"
#include "match/costs/gram.h"
#include "match/costs/tree_costs.h"
#include "match/problem.h"
#include "match/state/state_tensors.h"
#include "rebasin/alignment.h"

namespace rebasin {

// Which trees keep costs of these sizes in memory between visits: the smallest
// ones. They are those of streams that many tensors share, whose costs take
// longest to compute for their size.
std::vector<bool> KeptCosts(std::span<const int64_t> bytes,
                            int64_t cost_memory);

// The work of visiting a tree.
struct TreeWork {
  int tree = 0;
  double first_flops = 0;          // of products in an anchored start
  std::vector<double> more_flops;  // of each of the other occurrences
  int64_t cost_bytes = 0;
  int64_t solve_bytes = 0;  // while an assignment is solved, beside the costs
  bool keeps_costs = true;
};

class Descent {
 public:
  Descent(const Problem& problem, ThreadPool& pool, GramBuilder& grams,
          int64_t cost_memory);

  int64_t trees() const { return static_cast<int64_t>(states_.size()); }
  const Alignment& alignment() const { return alignment_; }

  // Starts. Each begins with the identity and no matched trees.
  //
  // Takes `alignment`, and all trees as matched. `duals`, by tree, from an
  // earlier descent of the same B save time.
  void StartAt(const Alignment& alignment,
               std::vector<AssignmentDuals> duals = {});
  // Matches one tree after another, each by the axes that are fixed or already
  // matched, trees with most evidence first; with `random`, in random order.
  void StartAnchored(Random* random);
  // Matches one tree after another by incoming weights alone.
  void StartGreedy();
  // Returns the order of an anchored start. Afterwards no tree is matched.
  std::vector<int> AnchoredOrder();
  // What visits of the trees take, in the order of an anchored start.
  std::vector<TreeWork> Work();

  // Visits every tree once, in the given order. Returns the gain.
  double Pass(const std::vector<int>& order);
  // Visits one tree. Returns the gain.
  double Visit(int tree);

  // Invalidates the tree's costs after values of A changed in place. Keeps its
  // permutation and duals as a start.
  void Forget(int tree);
  // The duals of the tree's last assignment, for use by another descent.
  const AssignmentDuals& duals(int tree) const { return states_[tree].duals; }
  void SetDuals(int tree, AssignmentDuals duals);
  // The order in which the start matched the trees.
  const std::vector<int>& order() const { return order_; }
  // The duals of each tree's last assignment.
  std::vector<AssignmentDuals> Duals() const;

  // The state between two visits. A descent of the same problem that is
  // restored from it goes on with the same bits. Restoring throws
  // Error(kBadInput) if the state does not fit.
  void Save(StateWriter& to) const;
  void Restore(const StateReader& from);
  // Goes on with an anchored start that is not random.
  void ContinueAnchored();
  // Costs that a state does not include are computed when they are needed.
  void KeepOnlyWhatIsSaved();

  // If set, called before each visit of a tree, after it, and, in a start, when
  // the tree counts as matched.
  std::function<void(int tree)> visiting;
  std::function<void()> visited;
  std::function<void()> matched;

 private:
  struct TreeState {
    TreeCosts costs;
    AssignmentDuals duals;
    bool matched = false;  // other trees may use its permutation
    bool settled = false;  // solved for exactly the current costs
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
