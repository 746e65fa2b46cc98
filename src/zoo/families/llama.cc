// Llama 1 to 3 (SmolLM, TinyLlama, Yi, ... have the same), Mistral, Qwen 2 and
// 3: RMS norms in front, rotations, grouped queries, a gated MLP.

#include "zoo/families/decoder.h"
#include "zoo/families/family.h"

namespace rebasin::zoo {
namespace {

void SetAttentionBias(const Net& net, DecoderStyle& style) {
  const bool bias = net.config.Flag({"attention_bias"}, false);
  style.attention.SetBias(bias, bias);
}

void BuildLlama(Net& net) {
  DecoderStyle style = UsualDecoder(net);
  SetAttentionBias(net, style);
  style.mlp.bias = net.config.Flag({"mlp_bias"}, false);
  BuildDecoder(net, style);
}

void BuildMistral(Net& net) {
  DecoderStyle style = UsualDecoder(net);
  ReadWindows(
      net, [](int64_t) { return true; }, style);
  BuildDecoder(net, style);
}

void BuildQwen2(Net& net) {
  DecoderStyle style = UsualDecoder(net);
  style.attention.SetBias(true, false);
  ReadLateWindows(net, style);
  BuildDecoder(net, style);
}

void BuildQwen3(Net& net) {
  DecoderStyle style = UsualDecoder(net, {}, /*head_size=*/128);
  SetAttentionBias(net, style);
  style.attention.head_norm = HeadNorm::kShared;
  ReadLateWindows(net, style);
  BuildDecoder(net, style);
}

}  // namespace

std::vector<Family> LlamaFamilies() {
  const std::string table = "embed_tokens.weight";
  return {{"llama", "Llama 1 to 3, SmolLM, TinyLlama, Yi", "model.", table,
           BuildLlama},
          {"mistral", "Mistral", "model.", table, BuildMistral},
          {"qwen2", "Qwen 1.5 to 2.5", "model.", table, BuildQwen2},
          {"qwen3", "Qwen 3", "model.", table, BuildQwen3}};
}

}  // namespace rebasin::zoo
