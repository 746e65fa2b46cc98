// Mixtral, Qwen2-MoE and Qwen3-MoE: as Mistral and Qwen, with a mixture of
// experts in place of the MLP.

#include <algorithm>

#include "zoo/families/decoder.h"
#include "zoo/families/family.h"

namespace rebasin::zoo {
namespace {

// The experts are checked here, so that a wrong number costs nothing.
std::optional<ExpertsStyle> CheckedExperts(const Net& net,
                                           const DecoderStyle& style,
                                           int64_t layer,
                                           const ExpertsStyle& experts) {
  const std::string name = net.base + style.blocks + "." +
                           std::to_string(layer) + "." + style.feed_forward +
                           ".experts";
  CheckLayerCount(net, experts.count, name, "experts");
  if (experts.chosen > experts.count) {
    net.config.Fail(std::to_string(experts.chosen) + " experts of " +
                    std::to_string(experts.count) + " cannot be chosen");
  }
  return experts;
}

void BuildMixtral(Net& net) {
  DecoderStyle style = UsualDecoder(net);
  style.norm.epsilon = net.config.Number({"rms_norm_eps"}, 1e-5);
  style.feed_forward = "block_sparse_moe";
  ExpertsStyle experts{.count = net.config.Size({"num_local_experts"}, 8),
                       .chosen = net.config.Size({"num_experts_per_tok"}, 2),
                       .expert = style.mlp};
  experts.expert.gate = "w1";
  experts.expert.down = "w2";
  experts.expert.up = "w3";
  style.experts = [=, &net](int64_t layer) {
    return CheckedExperts(net, style, layer, experts);
  };
  ReadWindows(
      net, [](int64_t) { return true; }, style);
  BuildDecoder(net, style);
}

// Some layers have a plain MLP: those of a list, and all but every N-th.
void SetExperts(const Net& net, const ExpertsStyle& experts,
                DecoderStyle& style) {
  const FamilyConfig& config = net.config;
  const int64_t step = config.Size({"decoder_sparse_step"}, 1);
  const std::vector<double> plain = config.Has({"mlp_only_layers"})
                                        ? config.Numbers({"mlp_only_layers"})
                                        : std::vector<double>{};
  const DecoderStyle names = style;
  style.experts = [=, &net](int64_t layer) -> std::optional<ExpertsStyle> {
    const bool listed = std::find(plain.begin(), plain.end(),
                                  static_cast<double>(layer)) != plain.end();
    if (listed || (layer + 1) % step != 0) return std::nullopt;
    return CheckedExperts(net, names, layer, experts);
  };
}

ExpertsStyle QwenExperts(const Net& net, const DecoderStyle& style) {
  ExpertsStyle experts{
      .count = net.config.Size({"num_experts", "num_local_experts"}),
      .chosen = net.config.Size({"num_experts_per_tok"}),
      .normalised = net.config.Flag({"norm_topk_prob"}, false),
      .expert = style.mlp};
  experts.expert.hidden = net.config.Size({"moe_intermediate_size"});
  return experts;
}

void BuildQwen2Moe(Net& net) {
  DecoderStyle style = UsualDecoder(net);
  style.attention.SetBias(net.config.Flag({"qkv_bias"}, true), false);
  ExpertsStyle experts = QwenExperts(net, style);
  experts.shared_hidden = net.config.Size({"shared_expert_intermediate_size"});
  SetExperts(net, experts, style);
  ReadLateWindows(net, style);
  BuildDecoder(net, style);
}

void BuildQwen3Moe(Net& net) {
  DecoderStyle style = UsualDecoder(net);
  const bool bias = net.config.Flag({"attention_bias"}, false);
  style.attention.SetBias(bias, bias);
  style.attention.head_norm = HeadNorm::kShared;
  SetExperts(net, QwenExperts(net, style), style);
  ReadLateWindows(net, style);
  BuildDecoder(net, style);
}

}  // namespace

std::vector<Family> MixtralFamilies() {
  const std::string table = "embed_tokens.weight";
  return {
      {"mixtral", "Mixtral", "model.", table, BuildMixtral},
      {"qwen2_moe", "Qwen 1.5 and 2, experts", "model.", table, BuildQwen2Moe},
      {"qwen3_moe", "Qwen 3, experts", "model.", table, BuildQwen3Moe}};
}

}  // namespace rebasin::zoo
