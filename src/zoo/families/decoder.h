// Decoders: stacks of blocks that read earlier tokens and predict the next one.
// A family fills in a DecoderStyle; what it leaves out is as in Llama.

#ifndef REBASIN_ZOO_FAMILIES_DECODER_H_
#define REBASIN_ZOO_FAMILIES_DECODER_H_

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "zoo/families/attention.h"
#include "zoo/families/mlp.h"
#include "zoo/families/net.h"

namespace rebasin::zoo {

// Where norms stand in a block with attention f and MLP g.
enum class BlockKind {
  kPre,       // y = x + f(norm_1 x), z = y + g(norm_2 y)
  kPost,      // y = norm_1(x + f x), z = norm_2(y + g y)
  kPostSub,   // y = x + norm_1(f x), z = y + norm_2(g y)
  kSandwich,  // y = x + norm_2(f(norm_1 x)), z = y + norm_4(g(norm_3 y))
  kParallel,  // z = x + f(norm_1 x) + g(norm_2 x)
  kShared,    // z = x + f(norm_1 x) + g(norm_1 x)
};

struct DecoderStyle {
  int64_t width = 0, vocab = 0, layers = 0;
  BlockKind kind = BlockKind::kPre;
  NormStyle norm = {.kind = NormKind::kRms};
  AttentionStyle attention = {};
  MlpStyle mlp = {};
  // Instead of the MLP, in the layers for which it returns a value.
  std::function<std::optional<ExpertsStyle>(int64_t)> experts = {};
  // Changes the attention of a layer: its window, rotation or bias.
  struct LayerAttention {
    AttentionStyle attention = {};
    int64_t window = 0;
  };
  std::function<void(int64_t, LayerAttention&)> of_layer = {};

  // Positions: a table of so many rows, of which the first is skipped so often.
  int64_t positions = 0, position_offset = 0;
  bool alibi = false;
  double alibi_scale = 1;
  double embedding_scale = 1;
  int64_t embedding_width = 0;  // if it is projected to `width`
  double logit_scale = 1, logit_softcap = 0;
  bool tied = false;       // if the config does not say
  bool head_bias = false;  // of the logits
  bool final_norm_exists = true;

  // Names below the base model.
  std::string embedding = "embed_tokens", embedding_norm = "";
  std::string position_table = "wpe";
  std::string project_in = "", project_out = "";
  std::string blocks = "layers", final_norm = "norm";
  std::string self_attention = "self_attn", feed_forward = "mlp";
  std::string norm_1 = "input_layernorm", norm_2 = "post_attention_layernorm";
  std::string norm_3 = "", norm_4 = "";
  std::string head = "lm_head";
};

// The settings that most families have: sizes, heads, epsilon of the RMS norms,
// activation and hidden size, rotations.
DecoderStyle UsualDecoder(Net& net, const RotaryDefaults& rotary = {},
                          int64_t head_size = 0);
// Those with LayerNorm and dense layers instead: "layer_norm_eps" and so on. No
// rotations.
DecoderStyle PlainDecoder(Net& net, const std::string& blocks);
// The windows of "layer_types". Without it the layers have one for which
// `slides` says so.
void ReadWindows(const Net& net, const std::function<bool(int64_t)>& slides,
                 DecoderStyle& style);

// Qwen: the layers from "max_window_layers" on, if windows are used at all.
void ReadLateWindows(const Net& net, DecoderStyle& style);

// Adds the whole network. With a head of classes ("score") its output is that
// of every position; the model itself picks one. A base model has its last
// values as output.
void BuildDecoder(Net& net, const DecoderStyle& style);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_FAMILIES_DECODER_H_
