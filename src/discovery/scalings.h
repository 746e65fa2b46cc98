// The scalings of a graph's weights, in terms of atoms; see
// discovery/degrees.h.

#ifndef REBASIN_DISCOVERY_SCALINGS_H_
#define REBASIN_DISCOVERY_SCALINGS_H_

#include <optional>
#include <span>
#include <vector>

#include "discovery/degrees.h"
#include "discovery/knowledge.h"
#include "discovery/leaves.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// One independent scaling.
struct AtomScaling {
  ScalingKind kind = ScalingKind::kScale;
  AtomId atom = kNoAtom;
};

// The effect of a scaling on a part of a weight's axis.
struct ScalingEffect {
  size_t scaling = 0;  // index into AtomScalings::scalings()
  int degree = 1;

  friend bool operator==(const ScalingEffect&, const ScalingEffect&) = default;
};

class AtomScalings {
 public:
  AtomScalings(Knowledge& knowledge, std::span<const ScalingKind> kinds);

  // In the order in which the graph uses them.
  const std::vector<AtomScaling>& scalings() const { return scalings_; }
  // The effects on `atom` in the part of a weight's axis that starts at
  // `begin`.
  std::vector<ScalingEffect> EffectsAt(ValueId weight, size_t axis,
                                       int64_t begin, AtomId atom) const;

 private:
  void Solve(Knowledge& knowledge, ScalingKind kind);

  std::optional<Leaves> leaves_;  // none if no kinds were requested
  std::vector<AtomScaling> scalings_;
  // By unknown; empty except for weights.
  std::vector<std::vector<ScalingEffect>> effects_;
};

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_SCALINGS_H_
