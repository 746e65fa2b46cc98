// Gemma 1 to 3: embeddings that are scaled, RMS norms times 1 + weight; from
// the second on norms also behind attention and MLP, and windows.

#include <cmath>

#include "zoo/families/decoder.h"
#include "zoo/families/family.h"

namespace rebasin::zoo {
namespace {

constexpr int64_t kHeadSize = 256;

DecoderStyle GemmaStyle(Net& net) {
  DecoderStyle style = UsualDecoder(net, {}, kHeadSize);
  style.norm.kind = NormKind::kRmsPlusOne;
  style.attention.norm = style.norm;
  style.embedding_scale = std::sqrt(static_cast<double>(style.width));
  style.mlp.activation =
      net.config.Word({"hidden_activation", "hidden_act"}, "gelu_pytorch_tanh");
  const bool bias = net.config.Flag({"attention_bias"}, false);
  style.attention.SetBias(bias, bias);
  style.tied = true;
  return style;
}

void BuildGemma(Net& net) {
  DecoderStyle style = GemmaStyle(net);
  style.mlp.activation = net.config.Word({"hidden_act"}, "gelu_pytorch_tanh");
  BuildDecoder(net, style);
}

// `softcaps`: those of attention and logits, if the config does not say.
DecoderStyle SandwichStyle(Net& net, double attention_cap, double logit_cap) {
  const FamilyConfig& config = net.config;
  DecoderStyle style = GemmaStyle(net);
  style.kind = BlockKind::kSandwich;
  style.norm_3 = "pre_feedforward_layernorm";
  style.norm_4 = "post_feedforward_layernorm";
  style.attention.scale =
      1 / std::sqrt(config.Number({"query_pre_attn_scalar"}, 256));
  style.attention.softcap =
      config.NumberOrNone("attn_logit_softcapping", attention_cap);
  style.logit_softcap =
      config.NumberOrNone("final_logit_softcapping", logit_cap);
  return style;
}

void BuildGemma2(Net& net) {
  DecoderStyle style = SandwichStyle(net, 50, 30);
  ReadWindows(
      net, [](int64_t layer) { return layer % 2 == 0; }, style);
  BuildDecoder(net, style);
}

// Layers with a window turn queries and keys at a speed of their own.
Rotation LocalRotation(Net& net, int64_t head) {
  if (net.config.Has({"rope_parameters"})) {
    return UsualRotation(net, head, {.kind = "sliding_attention"});
  }
  return PlainRotation(net.g, head,
                       net.config.Number({"rope_local_base_freq"}, 10000));
}

void BuildGemma3(Net& net) {
  DecoderStyle style = SandwichStyle(net, 0, 0);
  style.attention.head_norm = HeadNorm::kShared;
  const int64_t size = style.attention.size;
  style.attention.rotation =
      UsualRotation(net, size, {.theta = 1e6, .kind = "full_attention"});
  const int64_t every =
      net.config.Size({"sliding_window_pattern", "_sliding_window_pattern"}, 6);
  ReadWindows(
      net, [=](int64_t layer) { return (layer + 1) % every != 0; }, style);
  const Rotation local = LocalRotation(net, size);
  const auto window = style.of_layer;
  style.of_layer = [=](int64_t layer, DecoderStyle::LayerAttention& own) {
    window(layer, own);
    if (own.window > 0) own.attention.rotation = local;
  };
  BuildDecoder(net, style);
}

}  // namespace

std::vector<Family> GemmaFamilies() {
  const std::string table = "embed_tokens.weight";
  return {{"gemma", "Gemma", "model.", table, BuildGemma},
          {"gemma2", "Gemma 2", "model.", table, BuildGemma2},
          {"gemma3_text", "Gemma 3, text only", "model.", table, BuildGemma3}};
}

}  // namespace rebasin::zoo
