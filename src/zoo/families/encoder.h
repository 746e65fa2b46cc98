// Encoders: stacks of blocks in which every position sees all others. Text
// encoders have their norms behind, those of images in front.

#ifndef REBASIN_ZOO_FAMILIES_ENCODER_H_
#define REBASIN_ZOO_FAMILIES_ENCODER_H_

#include <string>

#include "zoo/families/attention.h"
#include "zoo/families/mlp.h"
#include "zoo/families/net.h"

namespace rebasin::zoo {

struct EncoderBlock {
  bool norms_in_front = false;
  NormStyle norm = {.kind = NormKind::kLayer, .epsilon = 1e-12};
  AttentionStyle attention = {};
  MlpStyle mlp = {};
  // Names within the block. An empty module name: the layers stand in the block
  // itself.
  std::string self_attention = "attention", feed_forward = "";
  std::string norm_1 = "attention.output.LayerNorm";
  std::string norm_2 = "output.LayerNorm";
  // Weights that the results of attention and MLP are multiplied by; or none.
  std::string gain_1 = "", gain_2 = "";
};

// The sizes and names of BERT, which most have taken over.
EncoderBlock BertBlock(const Net& net);

ValueId AddEncoderBlock(Net& net, const std::string& name, ValueId x,
                        const EncoderBlock& block, ValueId mask = kNoValue);

// The first position of each sequence: [batch, width].
ValueId FirstPosition(GraphBuilder& g, ValueId x);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_FAMILIES_ENCODER_H_
