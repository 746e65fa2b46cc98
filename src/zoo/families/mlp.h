// The second half of a block: dense layers, gated ones, and mixtures of them.

#ifndef REBASIN_ZOO_FAMILIES_MLP_H_
#define REBASIN_ZOO_FAMILIES_MLP_H_

#include <string>

#include "zoo/families/net.h"

namespace rebasin::zoo {

struct MlpStyle {
  int64_t hidden = 0;
  std::string activation = "silu";
  bool gated = true;
  bool fused = false;   // gate and up are one layer, `gate`
  bool conv1d = false;  // weights are [inputs, outputs]
  bool bias = false;
  std::string gate = "gate_proj", up = "up_proj", down = "down_proj";
};
ValueId Mlp(Net& net, const std::string& name, ValueId x,
            const MlpStyle& style);

// A router gives every token to a few experts.
struct ExpertsStyle {
  int64_t count = 0, chosen = 0;
  bool normalised = true;  // the shares of the chosen add up to one
  std::string router = "gate";
  MlpStyle expert = {};
  // An expert for all tokens beside these; with a gate of its own.
  int64_t shared_hidden = 0;
};
ValueId Experts(Net& net, const std::string& name, ValueId x,
                const ExpertsStyle& style);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_FAMILIES_MLP_H_
