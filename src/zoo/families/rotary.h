// Positions that are rotations of queries and keys (Su et al., 2021).

#ifndef REBASIN_ZOO_FAMILIES_ROTARY_H_
#define REBASIN_ZOO_FAMILIES_ROTARY_H_

#include <string>

#include "zoo/families/net.h"

namespace rebasin::zoo {

// More than any head has, so that no table becomes large.
inline constexpr int64_t kMostHeadUnits = 65536;

// Cosines and sines of all positions. The layers of a model share them.
struct Rotation {
  int64_t size = 0;          // units of each head that turn; the first ones
  bool interleaved = false;  // pairs are neighbours, not i and i + size / 2
  ValueId cosines = kNoValue, sines = kNoValue;
};

// The usual settings: "rope_theta" and "rope_scaling", or "rope_parameters" of
// newer releases; `kind` is the part of these that belongs to one type of
// layers, if they differ. `head` is the size of a head; of it the share
// "partial_rotary_factor" turns. Throws Error(kUnsupported) for an unknown
// scaling.
struct RotaryDefaults {
  double theta = 10000;
  double part = 1;
  bool interleaved = false;
  std::string kind = {};
};
Rotation UsualRotation(Net& net, int64_t head,
                       const RotaryDefaults& defaults = {});
// Without the settings: exactly `size` units turn at this base.
Rotation PlainRotation(GraphBuilder& g, int64_t size, double theta,
                       bool interleaved = false);

// Turns [batch, head, position, unit].
ValueId Rotated(GraphBuilder& g, ValueId x, const Rotation& rotation);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_FAMILIES_ROTARY_H_
