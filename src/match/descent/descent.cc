#include "match/descent/descent.h"

#include <algorithm>
#include <numeric>

#include "match/descent/quadratic.h"
#include "match/descent/tree_solver.h"

namespace rebasin {

std::vector<bool> KeptCosts(std::span<const int64_t> bytes,
                            int64_t cost_memory) {
  std::vector<size_t> order(bytes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t x, size_t y) { return bytes[x] < bytes[y]; });
  std::vector<bool> keep(bytes.size(), false);
  for (const size_t tree : order) {
    if (bytes[tree] > cost_memory) break;
    cost_memory -= bytes[tree];
    keep[tree] = true;
  }
  return keep;
}

namespace {

// The matrix of pairs of outer units, and what the solver keeps for each unit:
// candidates, duals and queues.
int64_t SolveBytes(const TreeCosts& costs) {
  constexpr int64_t kForUnit = 1024;
  int64_t n = 0, pairs = 0;
  for (const CostPart& part : costs.parts()) {
    const int64_t outer = part.slot.dims[0].size;
    n = std::max(n, outer);
    if (part.slot.dims.size() > 1 || costs.parts().size() > 1) {
      pairs = std::max(pairs, outer * outer);
    }
  }
  return n * kForUnit + pairs * static_cast<int64_t>(sizeof(float));
}

}  // namespace

Descent::Descent(const Problem& problem, ThreadPool& pool, GramBuilder& grams,
                 int64_t cost_memory)
    : problem_(problem),
      pool_(pool),
      grams_(grams),
      alignment_(problem.symmetry()) {
  std::vector<int64_t> bytes;
  for (size_t tree = 0; tree < problem.roots().size(); ++tree) {
    states_.push_back(
        {.costs = TreeCosts(problem, static_cast<int>(tree)), .duals = {}});
    bytes.push_back(states_.back().costs.bytes());
  }
  const std::vector<bool> keep = KeptCosts(bytes, cost_memory);
  for (size_t tree = 0; tree < keep.size(); ++tree) {
    states_[tree].keep = keep[tree];
  }
}

void Descent::Reset() {
  alignment_ = Alignment(problem_.symmetry());
  order_.clear();
  for (TreeState& state : states_) {
    state.costs.Release();
    state.duals = {};
    state.matched = state.settled = false;
  }
}

void Descent::StartAt(const Alignment& alignment,
                      std::vector<AssignmentDuals> duals) {
  Reset();
  alignment_ = alignment;
  duals.resize(states_.size());
  for (size_t tree = 0; tree < states_.size(); ++tree) {
    states_[tree].matched = true;
    states_[tree].duals = std::move(duals[tree]);
  }
  order_.resize(states_.size());
  std::iota(order_.begin(), order_.end(), 0);
}

std::vector<AssignmentDuals> Descent::Duals() const {
  std::vector<AssignmentDuals> duals;
  for (const TreeState& state : states_) duals.push_back(state.duals);
  return duals;
}

void Descent::StartAnchored(Random* random) {
  Reset();
  const Usable usable = [this](const Occurrence& o) { return IsAnchored(o); };
  if (random == nullptr) {
    return StartInOrder([&] { return MostEvident(usable); }, usable);
  }
  const std::vector<int32_t> order = random->Permutation(trees());
  StartInOrder([&] { return order[order_.size()]; }, usable);
}

void Descent::ContinueAnchored() {
  const Usable usable = [this](const Occurrence& o) { return IsAnchored(o); };
  StartInOrder([&] { return MostEvident(usable); }, usable);
}

void Descent::StartGreedy() {
  Reset();
  const Usable usable = [this](const Occurrence& o) {
    return IsAnchored(o) && IsIncoming(o);
  };
  StartInOrder([&] { return MostEvident(usable); }, usable);
}

// Evidence depends on shapes only.
std::vector<int> Descent::AnchoredOrder() {
  Reset();
  const Usable usable = [this](const Occurrence& o) { return IsAnchored(o); };
  std::vector<int> order;
  while (order.size() < states_.size()) {
    order.push_back(MostEvident(usable));
    states_[order.back()].matched = true;
  }
  Reset();
  return order;
}

std::vector<TreeWork> Descent::Work() {
  Reset();
  const Usable usable = [this](const Occurrence& o) { return IsAnchored(o); };
  std::vector<TreeWork> all;
  while (all.size() < states_.size()) {
    const int tree = MostEvident(usable);
    TreeState& state = states_[tree];
    TreeWork work{.tree = tree,
                  .more_flops = {},
                  .cost_bytes = state.costs.bytes(),
                  .solve_bytes = SolveBytes(state.costs),
                  .keeps_costs = state.keep};
    for (const Occurrence& where : problem_.occurrences(tree)) {
      const double flops = state.costs.Flops(where);
      if (IsAnchored(where)) {
        work.first_flops += flops;
      } else {
        work.more_flops.push_back(flops);
      }
    }
    all.push_back(std::move(work));
    state.matched = true;
  }
  Reset();
  return all;
}

void Descent::StartInOrder(const std::function<int()>& next,
                           const Usable& usable) {
  while (order_.size() < states_.size()) {
    const int tree = next();
    Visit(tree, usable);
    states_[tree].matched = true;
    order_.push_back(tree);
    if (matched) matched();
  }
}

// True if all other slots of the term are fixed or belong to matched trees. A
// second slot of the same tree is no anchor; such terms are quadratic and not
// part of the costs.
bool Descent::IsAnchored(const Occurrence& occurrence) const {
  const std::vector<Slot>& slots =
      problem_.terms()[occurrence.term].block.slots;
  for (size_t s = 0; s < slots.size(); ++s) {
    if (static_cast<int>(s) == occurrence.slot) continue;
    if (slots[s].root == kNoGroup) continue;
    if (!states_[problem_.TreeOf(slots[s].root)].matched) return false;
  }
  return true;
}

// True if the slot is on the tensor's first axis: rows of a weight are outputs.
bool Descent::IsIncoming(const Occurrence& occurrence) const {
  const std::vector<Slot>& slots =
      problem_.terms()[occurrence.term].block.slots;
  const int64_t mine = slots[occurrence.slot].dims[0].stride;
  for (const Slot& slot : slots) {
    for (const Dim& dim : slot.dims) {
      if (dim.stride > mine) return false;
    }
  }
  return true;
}

int Descent::MostEvident(const Usable& usable) const {
  int best = -1;
  double most = -1;
  for (size_t tree = 0; tree < states_.size(); ++tree) {
    if (states_[tree].matched) continue;
    const double evidence = states_[tree].costs.Evidence(usable);
    if (evidence > most) {
      most = evidence;
      best = static_cast<int>(tree);
    }
  }
  return best;
}

double Descent::Pass(const std::vector<int>& order) {
  double gain = 0;
  for (int tree : order) gain += Visit(tree);
  return gain;
}

double Descent::Visit(int tree) {
  return Visit(tree, [](const Occurrence&) { return true; });
}

void Descent::Forget(int tree) {
  states_[tree].costs.Forget();
  states_[tree].settled = false;
}

void Descent::SetDuals(int tree, AssignmentDuals duals) {
  states_[tree].duals = std::move(duals);
}

double Descent::Visit(int tree, const Usable& usable) {
  TreeState& state = states_[tree];
  double gain = 0;
  if (visiting) visiting(tree);
  if (!IsSettled(state, usable)) {
    // A tree that was matched before may not need all products for a proof.
    if (state.matched) {
      gain += Improve(state,
                      state.costs.RefreshHeaviest(alignment_, usable, grams_));
    }
    if (!IsSettled(state, usable)) {
      gain += Improve(state, state.costs.Refresh(alignment_, usable, grams_));
    }
  }
  if (!state.keep) state.costs.ReleaseCosts();
  if (visited) visited();
  return gain;
}

// Solves the tree, unless it was solved for exactly these costs. Returns the
// gain; 0 if nothing better was found.
double Descent::Improve(TreeState& state, bool changed) {
  if (!changed && state.settled) return 0;
  Alignment proposal = Propose(state);
  const double gain = Gain(state, proposal);
  // Before a tree is matched, its permutation is a placeholder.
  const bool better = gain > state.costs.Tolerance() || !state.matched;
  if (better) alignment_ = std::move(proposal);
  // The result of a quadratic proposal depends on its start.
  state.settled = !better || state.costs.quadratic_terms().empty();
  return better ? gain : 0;
}

bool Descent::IsSettled(TreeState& state, const Usable& usable) {
  return state.settled && state.matched &&
         state.costs.IsStillOptimal(alignment_, state.duals.columns, usable,
                                    pool_);
}

Alignment Descent::Propose(TreeState& state) {
  Alignment proposal = alignment_;
  if (!state.costs.quadratic_terms().empty()) {
    return ProposeQuadratic(problem_, state.costs, alignment_, pool_);
  }
  SolveTree(state.costs.root(), state.costs.parts(), pool_, proposal,
            state.duals);
  return proposal;
}

double Descent::Gain(const TreeState& state, const Alignment& proposal) const {
  double gain = state.costs.Value(proposal) - state.costs.Value(alignment_);
  for (int t : state.costs.quadratic_terms()) {
    const Term& term = problem_.terms()[t];
    gain += problem_.Value(term, proposal) - problem_.Value(term, alignment_);
  }
  return gain;
}

}  // namespace rebasin
