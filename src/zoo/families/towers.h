// Models that compare texts and images: an encoder for each.

#ifndef REBASIN_ZOO_FAMILIES_TOWERS_H_
#define REBASIN_ZOO_FAMILIES_TOWERS_H_

#include <string>

#include "zoo/families/net.h"

namespace rebasin::zoo {

// One of the encoders: its part of the config, and its names.
struct Tower {
  FamilyConfig config;
  std::string name;  // "text_model."
  int64_t width = 0;
  NormStyle norm = {};
};
Tower MakeTower(FamilyConfig config, const std::string& name, double epsilon);

// The blocks of an encoder. `activation` is that of configs that say none.
ValueId EncodedByTower(Net& net, const Tower& tower, ValueId x, ValueId mask,
                       const std::string& activation);

// The tokens, and the encoder's results: [batch, position, width].
struct Texts {
  ValueId tokens = kNoValue, x = kNoValue;
};
Texts EncodedTexts(Net& net, const Tower& tower, bool causal,
                   const std::string& activation);

// The results for all patches of images, and for whole images.
struct Images {
  ValueId x = kNoValue, pooled = kNoValue;
};

// Divides by the length of each vector.
ValueId OfUnitLength(GraphBuilder& g, ValueId x);

// [text, image]: products of the embeddings, times exp(logit_scale).
ValueId Similarities(Net& net, ValueId texts, ValueId images,
                     const Shape& scale);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_FAMILIES_TOWERS_H_
