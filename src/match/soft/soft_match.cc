#include "match/soft/soft_match.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "match/descent/tree_solver.h"

namespace rebasin {
namespace {

// True if no other slot belongs to the same tree.
bool IsAlone(const Block& block, int slot) {
  const int root = block.slots[slot].root;
  return std::count_if(block.slots.begin(), block.slots.end(),
                       [&](const Slot& s) { return s.root == root; }) == 1;
}

}  // namespace

SoftMatch::SoftMatch(const Problem& problem, SoftAlignment& soft,
                     ThreadPool& pool)
    : problem_(problem),
      soft_(soft),
      pool_(pool),
      partials_(problem.terms().size()) {
  for (size_t tree = 0; tree < problem.roots().size(); ++tree) {
    costs_.emplace_back(problem, static_cast<int>(tree),
                        TreeCosts::Quadratic::kAsLinear);
  }
}

double SoftMatch::Sweep(const std::vector<int>& order, bool backwards,
                        const Softness& softness) {
  double value = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    Visit(order[backwards ? order.size() - 1 - i : i],
          [&](const TreeCosts& costs) {
            soft_.Soften(costs, softness, pool_);
            value += soft_.ExpectedValue(costs);
          });
  }
  return value;
}

void SoftMatch::Visit(int tree,
                      const std::function<void(const TreeCosts&)>& soften) {
  TreeCosts& costs = costs_[tree];
  costs.Recompute([&](const Occurrence& where, const CostTarget& target) {
    AddSoftGram(where, target);
  });
  soften(costs);
  if (visited) visited();
}

Alignment SoftMatch::Solve() const {
  Alignment alignment(problem_.symmetry());
  for (const TreeCosts& costs : costs_) {
    AssignmentDuals duals;
    SolveTree(costs.root(), costs.parts(), pool_, alignment, duals);
  }
  return alignment;
}

// gram += A B~^T, where B~ is B with every other slot multiplied by its soft
// matrix. B~ of the term's last visit lacks only the new matrix of that visit's
// tree, unless the tree has two slots here: no other matrix has changed since.
void SoftMatch::AddSoftGram(const Occurrence& where, const CostTarget& costs) {
  const Term& term = problem_.terms()[where.term];
  Partial partial = MixOthers(where.term, where.slot);
  AddGram({term.a, term.block}, Of(partial, where.term), where.slot, pool_,
          costs);
  partials_[where.term].reset();
  if (IsAlone(term.block, where.slot)) {
    partials_[where.term] = std::move(partial);
  }
}

BlockView SoftMatch::Of(const Partial& partial, int term) const {
  if (!partial.mixed.values.empty()) return partial.mixed.view();
  return {problem_.terms()[term].b, problem_.terms()[term].block};
}

SoftMatch::Partial SoftMatch::MixOthers(int term, int slot) {
  Partial partial{.slot = slot, .mixed = {}};
  const Block& block = problem_.terms()[term].block;
  for (int s = 0; s < PermutableSlots(block); ++s) {
    if (s == slot) continue;
    partial.mixed = soft_.Mixed(Of(partial, term), s, pool_);
  }
  return partial;
}

Checkpoint SoftMatch::Softened(const Checkpoint& model) {
  std::map<std::string, std::vector<float>> softened;
  for (size_t t = 0; t < problem_.terms().size(); ++t) {
    const Term& term = problem_.terms()[t];
    const TensorPair& pair = problem_.tensors()[term.tensor];
    std::vector<float>& values = softened[pair.name];
    if (values.empty()) values = pair.FloatsOfB();
    if (PermutableSlots(term.block) == 0) continue;
    const Partial partial = partials_[t] ? *std::exchange(partials_[t], {})
                                         : MixOthers(static_cast<int>(t), 0);
    const SoftBlock mixed =
        soft_.Mixed(Of(partial, static_cast<int>(t)), partial.slot, pool_);
    CopyBlock(mixed.view(), term.block, values.data());
  }
  std::vector<Tensor> tensors = model.tensors();
  for (Tensor& tensor : tensors) {
    const auto found = softened.find(tensor.name);
    if (found == softened.end()) continue;
    tensor = MakeTensor(tensor.name, tensor.shape, found->second);
  }
  return Checkpoint(std::move(tensors), model.metadata());
}

}  // namespace rebasin
