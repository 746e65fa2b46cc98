#include "zoo/families/towers.h"

#include <utility>

#include "zoo/families/encoder.h"

namespace rebasin::zoo {

Tower MakeTower(FamilyConfig config, const std::string& name, double epsilon) {
  const int64_t width = config.Size({"hidden_size"});
  const NormStyle norm{.epsilon = config.Number({"layer_norm_eps"}, epsilon)};
  return {std::move(config), name, width, norm};
}

ValueId EncodedByTower(Net& net, const Tower& tower, ValueId x, ValueId mask,
                       const std::string& activation) {
  Net part{.g = net.g, .config = tower.config, .weights = net.weights};
  EncoderBlock block{.norms_in_front = true, .norm = tower.norm};
  block.attention = UsualAttention(part, tower.width);
  block.attention.SetBias(true, true);
  block.attention.out = "out_proj";
  block.self_attention = "self_attn";
  block.feed_forward = "mlp";
  block.norm_1 = "layer_norm1";
  block.norm_2 = "layer_norm2";
  block.mlp = {.hidden = tower.config.Size({"intermediate_size"}),
               .activation = tower.config.Word({"hidden_act"}, activation),
               .gated = false,
               .bias = true,
               .up = "fc1",
               .down = "fc2"};
  const std::string name = tower.name + "encoder.layers";
  const int64_t layers = LayerCount(part, {"num_hidden_layers"}, name);
  for (int64_t layer = 0; layer < layers; ++layer) {
    x = AddEncoderBlock(part, name + "." + std::to_string(layer), x, block,
                        mask);
  }
  return x;
}

Texts EncodedTexts(Net& net, const Tower& tower, bool causal,
                   const std::string& activation) {
  GraphBuilder& g = net.g;
  const std::string name = tower.name + "embeddings.";
  const ValueId tokens = SequenceInput(g);
  const ValueId words =
      Embedding(g, name + "token_embedding", tokens,
                tower.config.Size({"vocab_size"}), tower.width);
  const ValueId places =
      Positions(net, name + "position_embedding",
                tower.config.Size({"max_position_embeddings"}), tower.width);
  const ValueId mask = causal ? CausalMask(g, kSequence, 0) : kNoValue;
  const ValueId x =
      EncodedByTower(net, tower, Plus(g, words, places), mask, activation);
  return {tokens,
          Normalized(g, tower.name + "final_layer_norm", x, tower.norm)};
}

ValueId OfUnitLength(GraphBuilder& g, ValueId x) {
  return g.Add("LpNormalization", {x},
               {{"axis", int64_t{-1}}, {"p", int64_t{2}}});
}

ValueId Similarities(Net& net, ValueId texts, ValueId images,
                     const Shape& scale) {
  GraphBuilder& g = net.g;
  g.SetScope("logits");
  const ValueId products =
      g.Add("MatMul", {texts, Transpose(g, images, {1, 0})});
  return Times(g, products,
               g.Add("Exp", {g.Weight(net.outer + "logit_scale", scale)}));
}

}  // namespace rebasin::zoo
