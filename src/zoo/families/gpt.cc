// GPT-2 with one fused layer for queries, keys and values, whose weights are
// [inputs, outputs]; GPT-J and GPT-NeoX (Pythia), in which attention and MLP
// stand beside each other and part of each head turns.

#include <cmath>

#include "zoo/families/decoder.h"
#include "zoo/families/family.h"

namespace rebasin::zoo {
namespace {

void BuildGpt2(Net& net) {
  DecoderStyle style = PlainDecoder(net, "h");
  const FamilyConfig& config = net.config;
  style.embedding = "wte";
  style.positions = config.Size({"n_positions", "max_position_embeddings"});
  style.self_attention = "attn";
  style.norm_1 = "ln_1";
  style.norm_2 = "ln_2";
  style.final_norm = "ln_f";
  style.attention.fusion = Fusion::kBlocks;
  style.attention.conv1d = style.mlp.conv1d = true;
  style.attention.qkv = "c_attn";
  style.attention.out = style.mlp.down = "c_proj";
  style.mlp.up = "c_fc";
  style.tied = true;
  const bool scaled = config.Flag({"scale_attn_weights"}, true);
  const bool by_layer = config.Flag({"scale_attn_by_inverse_layer_idx"}, false);
  const auto size = static_cast<double>(style.attention.size);
  style.of_layer = [=](int64_t layer, DecoderStyle::LayerAttention& own) {
    const double by = by_layer ? static_cast<double>(layer + 1) : 1;
    own.attention.scale = (scaled ? 1 / std::sqrt(size) : 1) / by;
  };
  BuildDecoder(net, style);
}

void BuildGptJ(Net& net) {
  DecoderStyle style = PlainDecoder(net, "h");
  style.embedding = "wte";
  style.kind = BlockKind::kShared;
  style.self_attention = "attn";
  style.norm_1 = "ln_1";
  style.final_norm = "ln_f";
  style.attention.SetBias(false, false);
  style.attention.out = "out_proj";
  const int64_t turning = net.config.Size({"rotary_dim"}, style.attention.size);
  if (turning > style.attention.size || turning % 2 != 0) {
    net.config.Fail("\"rotary_dim\" must be even and at most " +
                    std::to_string(style.attention.size));
  }
  style.attention.rotation =
      PlainRotation(net.g, turning, 10000, /*interleaved=*/true);
  style.mlp.up = "fc_in";
  style.mlp.down = "fc_out";
  style.head_bias = true;
  BuildDecoder(net, style);
}

void BuildGptNeoX(Net& net) {
  DecoderStyle style = PlainDecoder(net, "layers");
  const FamilyConfig& config = net.config;
  style.embedding = "embed_in";
  style.kind = config.Flag({"use_parallel_residual"}, true)
                   ? BlockKind::kParallel
                   : BlockKind::kPre;
  style.self_attention = "attention";
  style.final_norm = "final_layer_norm";
  style.head = "embed_out";
  const bool bias = config.Flag({"attention_bias"}, true);
  style.attention.SetBias(bias, bias);
  style.attention.fusion = Fusion::kHeads;
  style.attention.qkv = "query_key_value";
  style.attention.out = "dense";
  style.attention.rotation =
      UsualRotation(net, style.attention.size, {.part = 0.25});
  style.mlp.activation = config.Word({"hidden_act"}, "gelu");
  style.mlp.up = "dense_h_to_4h";
  style.mlp.down = "dense_4h_to_h";
  BuildDecoder(net, style);
}

}  // namespace

std::vector<Family> GptFamilies() {
  return {{"gpt2", "GPT-2", "transformer.", "wte.weight", BuildGpt2},
          {"gptj", "GPT-J", "transformer.", "wte.weight", BuildGptJ},
          {"gpt_neox", "GPT-NeoX, Pythia", "gpt_neox.", "embed_in.weight",
           BuildGptNeoX}};
}

}  // namespace rebasin::zoo
