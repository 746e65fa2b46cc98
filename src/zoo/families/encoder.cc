#include "zoo/families/encoder.h"

namespace rebasin::zoo {
namespace {

ValueId WithGain(GraphBuilder& g, const std::string& name,
                 const std::string& gain, ValueId x) {
  if (gain.empty()) return x;
  return Times(g, x, g.Weight(name + "." + gain, {g.shape(x).back()}));
}

}  // namespace

EncoderBlock BertBlock(const Net& net) {
  const FamilyConfig& config = net.config;
  EncoderBlock block;
  block.norm.epsilon = config.Number({"layer_norm_eps"}, 1e-12);
  block.attention = UsualAttention(net, config.Size({"hidden_size"}));
  block.attention.SetBias(true, true);
  block.attention.q = "self.query";
  block.attention.k = "self.key";
  block.attention.v = "self.value";
  block.attention.out = "output.dense";
  block.mlp = {.hidden = config.Size({"intermediate_size"}),
               .activation = config.Word({"hidden_act"}, "gelu"),
               .gated = false,
               .bias = true,
               .up = "intermediate.dense",
               .down = "output.dense"};
  const std::string positions =
      config.Word({"position_embedding_type"}, "absolute");
  if (positions != "absolute") {
    config.Refuse("positions of the kind " + Quoted(positions) +
                  " are unknown");
  }
  return block;
}

ValueId AddEncoderBlock(Net& net, const std::string& name, ValueId x,
                        const EncoderBlock& block, ValueId mask) {
  GraphBuilder& g = net.g;
  const auto norm = [&](const std::string& which, ValueId y) {
    return Normalized(g, name + "." + which, y, block.norm);
  };
  const auto attention = [&](ValueId y) {
    const ValueId z = SelfAttention(net, name + "." + block.self_attention, y,
                                    block.attention, mask);
    return WithGain(g, name, block.gain_1, z);
  };
  const auto mlp = [&](ValueId y) {
    const std::string& part = block.feed_forward;
    const ValueId z =
        Mlp(net, part.empty() ? name : name + "." + part, y, block.mlp);
    return WithGain(g, name, block.gain_2, z);
  };
  if (block.norms_in_front) {
    const ValueId y = Plus(g, x, attention(norm(block.norm_1, x)));
    return Plus(g, y, mlp(norm(block.norm_2, y)));
  }
  const ValueId y = norm(block.norm_1, Plus(g, x, attention(x)));
  return norm(block.norm_2, Plus(g, y, mlp(y)));
}

ValueId FirstPosition(GraphBuilder& g, ValueId x) {
  return g.Add("Gather", {x, g.Int(0)}, {{"axis", int64_t{1}}});
}

}  // namespace rebasin::zoo
