// StarCoder 2 and StableLM: as Llama, with LayerNorm; StarCoder's MLP has no
// gate, and part of each of StableLM's heads turns.

#include "zoo/families/decoder.h"
#include "zoo/families/family.h"

namespace rebasin::zoo {
namespace {

void BuildStarCoder2(Net& net) {
  DecoderStyle style = PlainDecoder(net, "layers");
  const bool bias = net.config.Flag({"use_bias"}, true);
  style.attention.SetBias(bias, bias);
  style.attention.rotation = UsualRotation(net, style.attention.size);
  style.mlp.activation = net.config.Word({"hidden_act"}, "gelu_pytorch_tanh");
  style.mlp.bias = bias;
  style.mlp.up = "c_fc";
  style.mlp.down = "c_proj";
  style.tied = true;
  ReadWindows(
      net, [](int64_t) { return true; }, style);
  BuildDecoder(net, style);
}

void BuildStableLm(Net& net) {
  const FamilyConfig& config = net.config;
  DecoderStyle style = PlainDecoder(net, "layers");
  AttentionStyle& attention = style.attention;
  attention.SetBias(config.Flag({"use_qkv_bias"}, false), false);
  attention.rotation = UsualRotation(net, attention.size, {.part = 0.25});
  if (config.Flag({"qk_layernorm"}, false)) {
    attention.head_norm = HeadNorm::kEach;
    attention.norm.kind = NormKind::kLayerPlain;
    attention.q_norm = "q_layernorm";
    attention.k_norm = "k_layernorm";
  }
  style.mlp = {.hidden = config.Size({"intermediate_size"}),
               .activation = config.Word({"hidden_act"}, "silu")};
  if (config.Flag({"use_parallel_residual"}, false)) {
    style.kind = BlockKind::kShared;
  }
  BuildDecoder(net, style);
}

}  // namespace

std::vector<Family> StableLmFamilies() {
  const std::string table = "embed_tokens.weight";
  return {{"starcoder2", "StarCoder 2", "model.", table, BuildStarCoder2},
          {"stablelm", "StableLM", "model.", table, BuildStableLm}};
}

}  // namespace rebasin::zoo
