// Attention of all kinds over sequences [batch, position, width].

#ifndef REBASIN_ZOO_FAMILIES_ATTENTION_H_
#define REBASIN_ZOO_FAMILIES_ATTENTION_H_

#include <optional>
#include <string>

#include "zoo/families/net.h"
#include "zoo/families/rotary.h"

namespace rebasin::zoo {

// How queries, keys and values are stored.
enum class Fusion {
  kNone,    // three layers
  kBlocks,  // one: all queries, all keys, all values
  // One: for each key head its queries, its key, its value. With as many key
  // heads as heads this is the order (head, q/k/v, unit).
  kHeads,
};

// Norms of queries and keys.
enum class HeadNorm {
  kNone,
  kShared,  // over the units of a head, with weights shared by all heads
  kWhole,   // over all heads at once
  kEach,    // over the units of a head; each has its own weights
};

struct AttentionStyle {
  int64_t heads = 0, kv_heads = 0;
  int64_t size = 0;  // of a head
  // What products of queries and keys are multiplied by; 0: 1 / sqrt(size).
  double scale = 0;
  double softcap = 0;  // 0: none
  double clip = 0;     // of queries, keys and values; 0: none

  Fusion fusion = Fusion::kNone;
  bool conv1d = false;  // weights are [inputs, outputs]
  bool q_bias = false, k_bias = false, v_bias = false, out_bias = false;
  HeadNorm head_norm = HeadNorm::kNone;
  NormStyle norm = {};
  std::optional<Rotation> rotation = {};

  // Names within the block; `qkv` only if fused.
  std::string q = "q_proj", k = "k_proj", v = "v_proj", qkv = "qkv_proj";
  std::string out = "o_proj", q_norm = "q_norm", k_norm = "k_norm";

  void SetBias(bool qkv_bias, bool of_out) {
    q_bias = k_bias = v_bias = qkv_bias;
    out_bias = of_out;
  }
};

// Reads the head counts and the head size, and checks that they divide:
// "num_attention_heads" and so on. `width` is that of the residual stream. A
// head size that the config does not say is `head_size`, or, if that is 0, the
// width divided by the heads.
AttentionStyle UsualAttention(const Net& net, int64_t width,
                              int64_t head_size = 0);

// Self-attention. `mask` is added to the products; kNoValue: none.
ValueId SelfAttention(Net& net, const std::string& name, ValueId x,
                      const AttentionStyle& style, ValueId mask);
// Queries of x, keys and values of `memory`.
ValueId CrossAttention(Net& net, const std::string& name, ValueId x,
                       ValueId memory, const AttentionStyle& style);

// [position, position]: a position sees itself and earlier ones; with a window
// above 0 only that many.
ValueId CausalMask(GraphBuilder& g, int64_t length, int64_t window);
// [heads, 1, position]: each head prefers near keys in its own degree (Press et
// al., 2021).
ValueId AlibiBias(GraphBuilder& g, int64_t heads);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_FAMILIES_ATTENTION_H_
