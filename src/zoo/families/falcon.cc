// BLOOM and Falcon: one layer makes queries, keys and values of each head.
// BLOOM and Falcon-RW prefer near positions in a degree that differs between
// heads; the other Falcons rotate, and have few key heads.

#include <cmath>

#include "zoo/families/decoder.h"
#include "zoo/families/family.h"

namespace rebasin::zoo {
namespace {

DecoderStyle CommonStyle(Net& net) {
  DecoderStyle style = PlainDecoder(net, "h");
  style.embedding = "word_embeddings";
  style.self_attention = "self_attention";
  style.final_norm = "ln_f";
  style.attention.fusion = Fusion::kHeads;
  style.attention.qkv = "query_key_value";
  style.attention.out = "dense";
  style.mlp.up = "dense_h_to_4h";
  style.mlp.down = "dense_4h_to_h";
  style.tied = true;
  return style;
}

void BuildBloom(Net& net) {
  DecoderStyle style = CommonStyle(net);
  if (net.config.Flag({"apply_residual_connection_post_layernorm"}, false)) {
    net.config.Refuse("residuals behind the norms are unknown");
  }
  style.embedding_norm = "word_embeddings_layernorm";
  style.mlp.activation = "gelu_new";
  style.mlp.hidden = 4 * style.width;
  style.alibi = true;
  BuildDecoder(net, style);
}

// How the layer that makes queries, keys and values orders them.
void SetHeads(const FamilyConfig& config, bool is_new, DecoderStyle& style) {
  AttentionStyle& attention = style.attention;
  if (is_new) {
    attention.kv_heads = config.Size({"num_kv_heads"}, attention.heads);
    config.Share(attention.heads, attention.kv_heads,
                 "\"num_attention_heads\" by \"num_kv_heads\"");
  } else if (config.Flag({"multi_query"}, true)) {
    attention.kv_heads = 1;
    attention.fusion = Fusion::kBlocks;
  }
}

void SetNorms(const FamilyConfig& config, bool is_new, DecoderStyle& style) {
  const bool parallel = is_new || config.Flag({"parallel_attn"}, true);
  const bool two = is_new && config.Size({"num_ln_in_parallel_attn"}, 2) == 2;
  style.kind = !parallel ? BlockKind::kPre
               : two     ? BlockKind::kParallel
                         : BlockKind::kShared;
  if (two) {
    style.norm_1 = "ln_attn";
    style.norm_2 = "ln_mlp";
  }
}

void BuildFalcon(Net& net) {
  const FamilyConfig& config = net.config;
  DecoderStyle style = CommonStyle(net);
  const bool is_new = config.Flag({"new_decoder_architecture"}, false);
  SetHeads(config, is_new, style);
  SetNorms(config, is_new, style);
  const bool bias = config.Flag({"bias"}, false);
  style.attention.SetBias(bias, bias);
  style.mlp.bias = bias;
  style.mlp.hidden = config.Size({"ffn_hidden_size"}, 4 * style.width);
  style.mlp.activation = config.Word({"activation"}, "gelu");
  style.alibi = config.Flag({"alibi"}, false);
  if (style.alibi) {
    style.alibi_scale =
        1 / std::sqrt(static_cast<double>(style.attention.size));
  } else {
    style.attention.rotation = UsualRotation(net, style.attention.size);
  }
  BuildDecoder(net, style);
}

}  // namespace

std::vector<Family> FalconFamilies() {
  const std::string table = "word_embeddings.weight";
  return {{"bloom", "BLOOM", "transformer.", table, BuildBloom},
          {"falcon", "Falcon", "transformer.", table, BuildFalcon}};
}

}  // namespace rebasin::zoo
