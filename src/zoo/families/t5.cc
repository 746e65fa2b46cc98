// T5 and mT5: RMS norms in front, no biases; what the distance of two positions
// adds to the scores is learned, for each head, and shared by all layers.

#include <cmath>

#include "zoo/families/attention.h"
#include "zoo/families/family.h"
#include "zoo/families/heads.h"
#include "zoo/families/mlp.h"

namespace rebasin::zoo {
namespace {

struct T5Style {
  int64_t width = 0, vocab = 0, buckets = 0, distance = 0;
  NormStyle norm = {.kind = NormKind::kRms};
  AttentionStyle attention = {};
  MlpStyle mlp = {};
};

// "gated-gelu" and the like.
MlpStyle FeedForward(const FamilyConfig& config) {
  const std::string words = config.Word({"feed_forward_proj"}, "relu");
  const bool gated = words.starts_with("gated-");
  const std::string name = gated ? words.substr(6) : words;
  return {.hidden = config.Size({"d_ff"}),
          .activation = gated && name == "gelu" ? "gelu_new" : name,
          .gated = gated,
          .gate = "wi_0",
          .up = gated ? "wi_1" : "wi",
          .down = "wo"};
}

T5Style ReadStyle(const FamilyConfig& config) {
  T5Style style{
      .width = config.Size({"d_model"}),
      .vocab = config.Size({"vocab_size"}),
      .buckets = config.Size({"relative_attention_num_buckets"}, 32),
      .distance = config.Size({"relative_attention_max_distance"}, 128)};
  style.norm.epsilon = config.Number({"layer_norm_epsilon"}, 1e-6);
  style.attention.heads = style.attention.kv_heads = config.Size({"num_heads"});
  style.attention.size = config.Size({"d_kv"});
  style.attention.scale = 1;
  style.attention.q = "q";
  style.attention.k = "k";
  style.attention.v = "v";
  style.attention.out = "o";
  style.mlp = FeedForward(config);
  return style;
}

// Near distances have a bucket each, far ones share them. `later` is how far
// the key stands behind the query.
int64_t Bucket(int64_t later, bool both_ways, const T5Style& style) {
  int64_t count = style.buckets, first = 0;
  if (both_ways) {
    count /= 2;
    if (later > 0) first = count;
  }
  const int64_t far =
      both_ways ? std::abs(later) : std::max<int64_t>(-later, 0);
  const int64_t exact = count / 2;
  if (far < exact) return first + far;
  const double scale = std::log(static_cast<double>(far) / exact) /
                       std::log(static_cast<double>(style.distance) / exact);
  const auto more = static_cast<int64_t>(scale * (count - exact));
  return first + std::min(exact + more, count - 1);
}

// [heads, query, key], as a mask.
ValueId DistanceBias(Net& net, const std::string& attention, bool both_ways,
                     const T5Style& style) {
  GraphBuilder& g = net.g;
  std::vector<int64_t> rows;
  for (int64_t from = 0; from < kSequence; ++from) {
    for (int64_t to = 0; to < kSequence; ++to) {
      rows.push_back(Bucket(to - from, both_ways, style));
    }
  }
  const ValueId biases =
      Embedding(g, attention + ".relative_attention_bias", g.Ints(rows),
                style.buckets, style.attention.heads);
  const ValueId bias = Transpose(
      g, Reshape(g, biases, {kSequence, kSequence, style.attention.heads}),
      {2, 0, 1});
  return both_ways ? bias : Plus(g, bias, CausalMask(g, kSequence, 0));
}

// The encoder, or, if there is a `memory`, the decoder.
ValueId Stack(Net& net, const std::string& side, Keys layer_keys,
              const std::string& embedding, const std::string& input,
              ValueId memory, const T5Style& style) {
  GraphBuilder& g = net.g;
  const bool decodes = memory != kNoValue;
  const std::string name = net.base + side + ".";
  const int64_t layers = LayerCount(net, layer_keys, name + "block");
  ValueId x = Embedding(g, embedding, SequenceInput(g, input), style.vocab,
                        style.width);
  const ValueId mask = DistanceBias(net, name + "block.0.layer.0.SelfAttention",
                                    !decodes, style);
  for (int64_t layer = 0; layer < layers; ++layer) {
    const std::string block = name + "block." + std::to_string(layer) + ".";
    int part = 0;
    const auto add = [&](auto function) {
      const std::string sub = block + "layer." + std::to_string(part++) + ".";
      x = Plus(g, x,
               function(sub, Normalized(g, sub + "layer_norm", x, style.norm)));
    };
    add([&](const std::string& sub, ValueId y) {
      return SelfAttention(net, sub + "SelfAttention", y, style.attention,
                           mask);
    });
    if (decodes) {
      add([&](const std::string& sub, ValueId y) {
        return CrossAttention(net, sub + "EncDecAttention", y, memory,
                              style.attention);
      });
    }
    add([&](const std::string& sub, ValueId y) {
      return Mlp(net, sub + "DenseReluDense", y, style.mlp);
    });
  }
  return Normalized(g, name + "final_layer_norm", x, style.norm);
}

// The embedding has one name or several.
std::string SharedEmbedding(Net& net) {
  const std::string shared = net.base + "shared";
  const std::string inner = net.base + "encoder.embed_tokens";
  if (!net.Has(shared + ".weight")) return inner;
  for (const char* copy : {"encoder.embed_tokens", "decoder.embed_tokens"}) {
    RememberCopy(net, net.base + copy, shared);
  }
  return shared;
}

void BuildT5(Net& net) {
  GraphBuilder& g = net.g;
  const FamilyConfig& config = net.config;
  const T5Style style = ReadStyle(config);
  if (style.buckets < 4 || style.distance <= style.buckets) {
    config.Fail(
        "\"relative_attention_max_distance\" must be above "
        "\"relative_attention_num_buckets\", which is at least 4");
  }
  const std::string shared = SharedEmbedding(net);
  const ValueId memory = Stack(net, "encoder", {"num_layers"}, shared,
                               "input_ids", kNoValue, style);
  if (!net.Has(net.base + "decoder.final_layer_norm.weight")) {
    g.Output(memory, "last_hidden_state");
    return;
  }
  ValueId x = Stack(net, "decoder", {"num_decoder_layers", "num_layers"},
                    shared, "decoder_input_ids", memory, style);
  if (!net.Has(net.outer + "lm_head.weight") &&
      !net.IsArchitecture("ForConditionalGeneration")) {
    g.Output(x, "last_hidden_state");
    return;
  }
  const bool tied = IsTied(net, net.outer + "lm_head", shared, true);
  if (tied) x = Scaled(g, x, 1 / std::sqrt(static_cast<double>(style.width)));
  g.Output(Linear(g, tied ? shared : net.outer + "lm_head", x, style.vocab,
                  /*bias=*/false),
           "logits");
}

}  // namespace

std::vector<Family> T5Families() {
  const std::string norm = "encoder.final_layer_norm.weight";
  return {{"t5", "T5, Flan-T5", "", norm, BuildT5},
          {"mt5", "mT5", "", norm, BuildT5}};
}

}  // namespace rebasin::zoo
