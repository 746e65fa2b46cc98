// OLMo: as Llama, with norms that have no weights. OLMo 2: the norms stand
// behind attention and MLP, and queries and keys are normalised over all heads.

#include "zoo/families/decoder.h"
#include "zoo/families/family.h"

namespace rebasin::zoo {
namespace {

void SetAttentionBias(const Net& net, DecoderStyle& style) {
  const bool bias = net.config.Flag({"attention_bias"}, false);
  style.attention.SetBias(bias, bias);
}

void BuildOlmo(Net& net) {
  DecoderStyle style = UsualDecoder(net);
  style.norm = {.kind = NormKind::kBare, .epsilon = 1e-5};
  style.attention.clip = net.config.Number({"clip_qkv"}, 0);
  SetAttentionBias(net, style);
  BuildDecoder(net, style);
}

void BuildOlmo2(Net& net) {
  DecoderStyle style = UsualDecoder(net);
  style.norm.epsilon = net.config.Number({"rms_norm_eps"}, 1e-5);
  style.kind = BlockKind::kPostSub;
  style.norm_1 = "post_attention_layernorm";
  style.norm_2 = "post_feedforward_layernorm";
  style.attention.head_norm = HeadNorm::kWhole;
  style.attention.norm = style.norm;
  SetAttentionBias(net, style);
  BuildDecoder(net, style);
}

}  // namespace

std::vector<Family> OlmoFamilies() {
  const std::string table = "embed_tokens.weight";
  return {{"olmo", "OLMo", "model.", table, BuildOlmo},
          {"olmo2", "OLMo 2", "model.", table, BuildOlmo2}};
}

}  // namespace rebasin::zoo
