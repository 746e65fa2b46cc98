// The heads of text encoders. Which of them a model has shows in its names.

#ifndef REBASIN_ZOO_FAMILIES_BERT_HEADS_H_
#define REBASIN_ZOO_FAMILIES_BERT_HEADS_H_

#include <string>

#include "zoo/families/net.h"

namespace rebasin::zoo {

// Tokens that were masked: dense, activation, norm, and the transposed
// embedding with a bias of its own.
struct TokenHead {
  std::string dense = {}, norm = {}, decoder = {};
  std::string bias = {};  // another name of the decoder's bias
  std::string activation = "gelu";
  NormStyle style = {};
  std::string embedding = {};
  int64_t width = 0, vocab = 0;
};
// False if the model has no such head.
bool AddTokenHead(Net& net, ValueId x, const TokenHead& head);

// Classes by two layers with an activation between them, of the first position.
bool AddTwoLayers(Net& net, const std::string& first, const std::string& second,
                  const std::string& activation, ValueId x);

// "classifier" of the pooled value, or of every position if there is none, and
// "qa_outputs". False if the model has neither.
bool AddUsualHeads(Net& net, ValueId x, ValueId pooled);

// Without a head the values themselves are the outputs.
void AddBaseOutputs(Net& net, ValueId x, ValueId pooled);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_FAMILIES_BERT_HEADS_H_
