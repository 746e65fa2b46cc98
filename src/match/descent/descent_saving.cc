// Saves and restores a descent.

#include <algorithm>
#include <string>
#include <vector>

#include "match/descent/descent.h"
#include "match/state/descent_state.h"

namespace rebasin {
namespace {

std::string Prefix(size_t tree) { return "tree." + std::to_string(tree) + "."; }

}  // namespace

void Descent::KeepOnlyWhatIsSaved() {
  for (TreeState& state : states_) {
    state.keep = state.keep && state.costs.CanSaveCosts();
  }
}

void Descent::Save(StateWriter& to) const {
  SaveAlignment(alignment_, to);
  std::vector<int32_t> order(order_.begin(), order_.end());
  to.Add("order", std::span<const int32_t>(order));
  std::vector<int32_t> flags;
  for (size_t tree = 0; tree < states_.size(); ++tree) {
    const TreeState& state = states_[tree];
    state.costs.Save(Prefix(tree), to);
    SaveDuals(state.duals, Prefix(tree), to);
    flags.push_back((state.matched ? 1 : 0) + (state.settled ? 2 : 0));
  }
  to.Add("flags", std::span<const int32_t>(flags));
}

void Descent::Restore(const StateReader& from) {
  Reset();
  RestoreAlignment(from, alignment_);
  std::vector<int32_t> flags(states_.size());
  from.Read("flags", std::span(flags));
  for (size_t tree = 0; tree < states_.size(); ++tree) {
    TreeState& state = states_[tree];
    const Group& group =
        problem_.symmetry()->groups()[static_cast<size_t>(state.costs.root())];
    state.costs.Restore(Prefix(tree), from);
    state.duals = RestoreDuals(from, Prefix(tree), group.size);
    state.matched = (flags[tree] & 1) != 0;
    state.settled = (flags[tree] & 2) != 0;
    const bool needs_duals =
        state.costs.quadratic_terms().empty() && !state.costs.parts().empty();
    if (state.settled && needs_duals && state.duals.columns.empty()) {
      from.Fail("flags");
    }
  }
  std::vector<int32_t> order(static_cast<size_t>(from.SizeOf("order")));
  from.Read("order", std::span(order));
  std::vector<bool> seen(states_.size(), false);
  for (const int32_t tree : order) {
    const auto index = static_cast<size_t>(tree);
    if (tree < 0 || index >= seen.size() || seen[index]) from.Fail("order");
    seen[index] = true;
    if (!states_[index].matched) from.Fail("order");
    order_.push_back(tree);
  }
}

}  // namespace rebasin
