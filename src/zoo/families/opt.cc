// OPT: as GPT-2 with separate layers, and ReLU. The one of 350 million weights
// has its norms behind, and narrower embeddings.

#include "zoo/families/decoder.h"
#include "zoo/families/family.h"

namespace rebasin::zoo {
namespace {

void BuildOpt(Net& net) {
  const FamilyConfig& config = net.config;
  DecoderStyle style = PlainDecoder(net, "layers");
  const bool before = config.Flag({"do_layer_norm_before"}, true);
  if (!config.Flag({"layer_norm_elementwise_affine"}, true)) {
    style.norm.kind = NormKind::kBare;
  }
  style.kind = before ? BlockKind::kPre : BlockKind::kPost;
  style.positions = config.Size({"max_position_embeddings"});
  style.position_offset = 2;
  style.position_table = "embed_positions";
  style.embedding_width = config.Size({"word_embed_proj_dim"}, style.width);
  style.project_in = "project_in";
  style.project_out = "project_out";
  style.norm_1 = "self_attn_layer_norm";
  style.norm_2 = "final_layer_norm";
  style.final_norm = "final_layer_norm";
  style.final_norm_exists =
      before && !config.Flag({"_remove_final_layer_norm"}, false);
  const bool bias = config.Flag({"enable_bias"}, true);
  style.attention.SetBias(bias, bias);
  style.attention.out = "out_proj";
  style.feed_forward = "";
  style.mlp = {.hidden = config.Size({"ffn_dim"}),
               .activation = config.Word({"activation_function"}, "relu"),
               .gated = false,
               .bias = bias,
               .up = "fc1",
               .down = "fc2"};
  style.tied = true;
  BuildDecoder(net, style);
}

}  // namespace

std::vector<Family> OptFamilies() {
  return {{"opt", "OPT", "model.decoder.", "embed_tokens.weight", BuildOpt}};
}

}  // namespace rebasin::zoo
