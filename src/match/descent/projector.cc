#include "match/descent/projector.h"

#include <cassert>
#include <limits>

namespace rebasin {
namespace {

// Above this size, cost matrices are recomputed at each visit.
constexpr int64_t kCostMemory = int64_t{2} << 30;

// The time of an assignment with good duals, for each entry of the cost matrix,
// in operations of matrix products; see bench/ste_bench.cc.
constexpr double kSolveFlops = 600;

}  // namespace

Projector::Projector(const Checkpoint& moving, const Checkpoint& b,
                     const Alignment& start, ThreadPool& pool)
    : pool_(pool),
      problem_(moving, b, start.shared_symmetry(), pool),
      grams_(pool),
      descent_(problem_, pool, grams_, kCostMemory),
      stale_(problem_.roots().size(), true) {
  descent_.StartAt(start);
}

bool Projector::Follow(double flops) {
  credit_ += flops;
  stale_.assign(stale_.size(), true);
  int64_t idle = 0;  // visits since the last one with a gain
  while (idle < trees() && credit_ > 0) {
    const auto tree = static_cast<int>(next_);
    const double before = grams_.flops();
    double gain = 0;
    if (!Visit(tree, gain)) return false;
    next_ = (next_ + 1) % trees();
    ++visits_;
    idle = gain > 0 ? 0 : idle + 1;
    credit_ -= Charge(tree, grams_.flops() - before);
  }
  // Unused budget is not kept after convergence.
  if (idle == trees() && credit_ > 0) credit_ = 0;
  return true;
}

bool Projector::Converge() {
  const double credit = credit_;
  next_ = 0;
  const bool finite = Follow(std::numeric_limits<double>::infinity());
  credit_ = credit;
  return finite;
}

bool Projector::Visit(int tree, double& gain) {
  if (stale_[tree]) {
    if (!problem_.Remeasure(tree, pool_)) return false;
    descent_.Forget(tree);
    stale_[tree] = false;
  }
  gain = descent_.Visit(tree);
  return true;
}

double Projector::Charge(int tree, double products) const {
  const Symmetry& symmetry = *problem_.symmetry();
  const auto n =
      static_cast<double>(symmetry.groups()[problem_.roots()[tree]].size);
  // Without products there was no assignment either.
  return products > 0 ? products + kSolveFlops * n * n : 0;
}

ProjectorState Projector::State() const {
  ProjectorState state{.duals = {}, .credit = credit_, .next = next_};
  for (int64_t tree = 0; tree < trees(); ++tree) {
    state.duals.push_back(descent_.duals(static_cast<int>(tree)));
  }
  return state;
}

void Projector::Restore(const Alignment& alignment,
                        const ProjectorState& state) {
  assert(static_cast<int64_t>(state.duals.size()) == trees());
  descent_.StartAt(alignment);
  for (int64_t tree = 0; tree < trees(); ++tree) {
    descent_.SetDuals(static_cast<int>(tree), state.duals[tree]);
  }
  stale_.assign(stale_.size(), true);
  credit_ = state.credit;
  next_ = state.next;
}

}  // namespace rebasin
