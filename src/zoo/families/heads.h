// What stands behind the last block: logits of tokens or classes.

#ifndef REBASIN_ZOO_FAMILIES_HEADS_H_
#define REBASIN_ZOO_FAMILIES_HEADS_H_

#include <string>

#include "zoo/families/net.h"

namespace rebasin::zoo {

struct DecoderHead {
  std::string embedding;  // its weight makes the logits if they are tied
  std::string name = "lm_head";
  int64_t vocab = 0;
  bool tied = false;  // if the config does not say
  bool bias = false;
  double scale = 1, softcap = 0;
};
void AddDecoderHead(Net& net, ValueId x, const DecoderHead& head);

// Whether the logits of tokens use the embedding: "tie_word_embeddings".
// Remembers a copy of it that is stored as NAME.weight. Throws Error(kMismatch)
// if that has other numbers.
bool IsTied(Net& net, const std::string& name, const std::string& embedding,
            bool fallback);

// Remembers that NAME.weight, if the model has it, is a copy. Throws
// Error(kMismatch) if it has other numbers.
void RememberCopy(Net& net, const std::string& name,
                  const std::string& embedding);

// Outputs of a dense layer, if the model has it, with as many classes as the
// tensor; the number is no setting of its own in configs. False if not.
bool AddClasses(Net& net, const std::string& name, ValueId x,
                const std::string& output = "logits");

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_FAMILIES_HEADS_H_
