#include "discovery/scalings.h"

#include <cstdlib>
#include <map>
#include <set>

namespace rebasin {
namespace {

// The unknowns of all weights.
std::vector<int> WeightUnknowns(const Graph& graph, const Leaves& leaves) {
  std::vector<int> unknowns;
  for (ValueId id : graph.weights()) {
    for (const Pieces& pieces : leaves.Of(id)) {
      for (const Piece& piece : pieces) {
        for (const Leaf& leaf : piece.leaves) unknowns.push_back(leaf.unknown);
      }
    }
  }
  return unknowns;
}

// The effects of a free parameter on the weights.
struct Effects {
  bool raises = false, lowers = false;
  bool large = false;  // some degree is neither 1 nor -1
  int first = 0;       // the degree of the first unknown
  int first_unknown = -1;
};

}  // namespace

AtomScalings::AtomScalings(Knowledge& knowledge,
                           std::span<const ScalingKind> kinds) {
  if (kinds.empty()) return;
  leaves_.emplace(knowledge);
  effects_.resize(static_cast<size_t>(leaves_->unknowns()));
  for (ScalingKind kind : kinds) Solve(knowledge, kind);
}

// The free parameters of the solution are the scalings. A scale that only
// raises or only lowers weights has no natural size, and a spec cannot express
// degrees other than 1 and -1. Both are left out.
void AtomScalings::Solve(Knowledge& knowledge, ScalingKind kind) {
  Degrees degrees(*leaves_, kind);
  ApplyDegreeLaws(knowledge, degrees);
  const std::vector<int> unknowns = WeightUnknowns(knowledge.graph(), *leaves_);
  std::map<int, Effects> parameters;
  for (int unknown : unknowns) {
    for (const auto& [parameter, degree] : degrees.Resolve(unknown)) {
      Effects& effects = parameters[parameter];
      (degree > 0 ? effects.raises : effects.lowers) = true;
      effects.large |= std::abs(degree) > 1;
      if (effects.first == 0 || unknown < effects.first_unknown) {
        effects.first = degree;
        effects.first_unknown = unknown;
      }
    }
  }
  std::map<int, size_t> kept;
  for (const auto& [parameter, effects] : parameters) {
    const bool both = effects.raises && effects.lowers;
    if (effects.large || (kind == ScalingKind::kScale && !both)) continue;
    kept[parameter] = scalings_.size();
    scalings_.push_back({kind, leaves_->AtomOf(parameter)});
  }
  for (int unknown : unknowns) {
    for (const auto& [parameter, degree] : degrees.Resolve(unknown)) {
      const auto found = kept.find(parameter);
      if (found == kept.end()) continue;
      const bool turn = parameters[parameter].first < 0;
      effects_[static_cast<size_t>(unknown)].push_back(
          {found->second, turn ? -degree : degree});
    }
  }
}

std::vector<ScalingEffect> AtomScalings::EffectsAt(ValueId weight, size_t axis,
                                                   int64_t begin,
                                                   AtomId atom) const {
  if (!leaves_) return {};
  const int unknown = leaves_->Find(weight, axis, begin, atom);
  return unknown < 0 ? std::vector<ScalingEffect>()
                     : effects_[static_cast<size_t>(unknown)];
}

}  // namespace rebasin
