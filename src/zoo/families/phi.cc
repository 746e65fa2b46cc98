// Phi 1 and 2: attention and MLP beside each other, behind one LayerNorm; part
// of each head turns. Phi 3 and 4: as Llama, with fused layers.

#include "zoo/families/decoder.h"
#include "zoo/families/family.h"

namespace rebasin::zoo {
namespace {

void BuildPhi(Net& net) {
  DecoderStyle style = PlainDecoder(net, "layers");
  style.kind = BlockKind::kShared;
  style.final_norm = "final_layernorm";
  style.attention.out = "dense";
  style.attention.rotation =
      UsualRotation(net, style.attention.size, {.part = 0.5});
  if (net.config.Flag({"qk_layernorm"}, false)) {
    style.attention.head_norm = HeadNorm::kShared;
    style.attention.q_norm = "q_layernorm";
    style.attention.k_norm = "k_layernorm";
  }
  style.mlp.up = "fc1";
  style.mlp.down = "fc2";
  style.head_bias = true;
  BuildDecoder(net, style);
}

void BuildPhi3(Net& net) {
  DecoderStyle style = UsualDecoder(net);
  style.norm.epsilon = net.config.Number({"rms_norm_eps"}, 1e-5);
  style.attention.fusion = Fusion::kBlocks;
  style.mlp.fused = true;
  style.mlp.gate = "gate_up_proj";
  ReadWindows(
      net, [](int64_t) { return true; }, style);
  BuildDecoder(net, style);
}

}  // namespace

std::vector<Family> PhiFamilies() {
  const std::string table = "embed_tokens.weight";
  return {{"phi", "Phi 1 and 2", "model.", table, BuildPhi},
          {"phi3", "Phi 3 and 4", "model.", table, BuildPhi3}};
}

}  // namespace rebasin::zoo
