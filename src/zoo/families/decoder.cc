#include "zoo/families/decoder.h"

#include "zoo/families/heads.h"

namespace rebasin::zoo {
namespace {

// What the layers share.
class Blocks {
 public:
  Blocks(Net& net, const DecoderStyle& style) : net_(net), style_(style) {}

  ValueId Add(int64_t layer, ValueId x) {
    const std::string name =
        net_.base + style_.blocks + "." + std::to_string(layer) + ".";
    const auto norm = [&](const std::string& which, ValueId y) {
      return Normalized(net_.g, name + which, y, style_.norm);
    };
    const auto f = [&](ValueId y) { return Attention(layer, name, y); };
    const auto g = [&](ValueId y) { return FeedForward(layer, name, y); };
    const auto plus = [&](ValueId y, ValueId z) { return Plus(net_.g, y, z); };
    const DecoderStyle& s = style_;
    ValueId y = kNoValue;
    switch (style_.kind) {
      case BlockKind::kPre:
        y = plus(x, f(norm(s.norm_1, x)));
        return plus(y, g(norm(s.norm_2, y)));
      case BlockKind::kPost:
        y = norm(s.norm_1, plus(x, f(x)));
        return norm(s.norm_2, plus(y, g(y)));
      case BlockKind::kPostSub:
        y = plus(x, norm(s.norm_1, f(x)));
        return plus(y, norm(s.norm_2, g(y)));
      case BlockKind::kSandwich:
        y = plus(x, norm(s.norm_2, f(norm(s.norm_1, x))));
        return plus(y, norm(s.norm_4, g(norm(s.norm_3, y))));
      case BlockKind::kParallel:
        return plus(plus(x, f(norm(s.norm_1, x))), g(norm(s.norm_2, x)));
      case BlockKind::kShared:
        break;
    }
    y = norm(s.norm_1, x);
    return plus(plus(x, f(y)), g(y));
  }

 private:
  ValueId Attention(int64_t layer, const std::string& name, ValueId x) {
    DecoderStyle::LayerAttention own{.attention = style_.attention};
    if (style_.of_layer) style_.of_layer(layer, own);
    return SelfAttention(net_, name + style_.self_attention, x, own.attention,
                         Mask(own.window));
  }

  ValueId FeedForward(int64_t layer, const std::string& name, ValueId x) {
    const auto experts = style_.experts ? style_.experts(layer) : std::nullopt;
    if (experts) return Experts(net_, name + style_.feed_forward, x, *experts);
    // Some families have no module around the two layers.
    const std::string& part = style_.feed_forward;
    return part.empty()
               ? Mlp(net_, name.substr(0, name.size() - 1), x, style_.mlp)
               : Mlp(net_, name + part, x, style_.mlp);
  }

  ValueId Mask(int64_t window) {
    const auto [found, added] = masks_.emplace(window, kNoValue);
    if (!added) return found->second;
    ValueId mask = CausalMask(net_.g, kSequence, window);
    if (style_.alibi) {
      mask = Plus(net_.g, mask,
                  Scaled(net_.g, AlibiBias(net_.g, style_.attention.heads),
                         style_.alibi_scale));
    }
    return found->second = mask;
  }

  Net& net_;
  const DecoderStyle& style_;
  std::map<int64_t, ValueId> masks_;  // by window
};

ValueId Embedded(Net& net, const DecoderStyle& s) {
  GraphBuilder& g = net.g;
  const ValueId tokens = SequenceInput(g);
  const int64_t width = s.embedding_width == 0 ? s.width : s.embedding_width;
  ValueId x = Embedding(g, net.base + s.embedding, tokens, s.vocab, width);
  if (s.embedding_scale != 1) x = Scaled(g, x, s.embedding_scale);
  if (!s.project_in.empty() && width != s.width) {
    x = Linear(g, net.base + s.project_in, x, s.width, /*bias=*/false);
  }
  if (s.positions > 0) {
    x = Plus(
        g, x,
        Positions(net, net.base + s.position_table,
                  s.positions + s.position_offset, s.width, s.position_offset));
  }
  if (s.embedding_norm.empty()) return x;
  return Normalized(g, net.base + s.embedding_norm, x, s.norm);
}

ValueId Finished(Net& net, const DecoderStyle& s, ValueId x) {
  if (s.final_norm_exists) {
    x = Normalized(net.g, net.base + s.final_norm, x, s.norm);
  }
  if (s.project_out.empty() || s.embedding_width == 0 ||
      s.embedding_width == s.width) {
    return x;
  }
  return Linear(net.g, net.base + s.project_out, x, s.embedding_width,
                /*bias=*/false);
}

}  // namespace

DecoderStyle UsualDecoder(Net& net, const RotaryDefaults& rotary,
                          int64_t head_size) {
  const FamilyConfig& config = net.config;
  DecoderStyle style;
  style.width = config.Size({"hidden_size"});
  style.vocab = config.Size({"vocab_size"});
  style.layers =
      LayerCount(net, {"num_hidden_layers"}, net.base + style.blocks);
  style.norm.epsilon = config.Number({"rms_norm_eps"}, 1e-6);
  style.attention = UsualAttention(net, style.width, head_size);
  style.attention.norm = style.norm;
  style.attention.rotation = UsualRotation(net, style.attention.size, rotary);
  style.mlp.hidden = config.Size({"intermediate_size"});
  style.mlp.activation = config.Word({"hidden_act"}, "silu");
  return style;
}

DecoderStyle PlainDecoder(Net& net, const std::string& blocks) {
  const FamilyConfig& config = net.config;
  DecoderStyle style;
  style.width = config.Size({"hidden_size", "n_embd"});
  style.vocab = config.Size({"vocab_size"});
  style.blocks = blocks;
  style.layers =
      LayerCount(net, {"num_hidden_layers", "n_layer"}, net.base + blocks);
  style.norm = {
      .kind = NormKind::kLayer,
      .epsilon = config.Number(
          {"layer_norm_eps", "layer_norm_epsilon", "norm_epsilon"}, 1e-5)};
  style.attention = UsualAttention(net, style.width);
  style.attention.norm = style.norm;
  style.attention.SetBias(true, true);
  style.mlp = {
      .hidden = config.Size({"intermediate_size", "n_inner"}, 4 * style.width),
      .activation =
          config.Word({"hidden_act", "activation_function"}, "gelu_new"),
      .gated = false,
      .bias = true};
  return style;
}

void ReadWindows(const Net& net, const std::function<bool(int64_t)>& slides,
                 DecoderStyle& style) {
  const int64_t window = net.config.Integer({"sliding_window"}, 0);
  const auto types = net.config.Words({"layer_types"});
  style.of_layer = [=](int64_t layer, DecoderStyle::LayerAttention& own) {
    const auto at = static_cast<size_t>(layer);
    const bool has =
        at < types.size() ? types[at] == "sliding_attention" : slides(layer);
    own.window = has ? window : 0;
  };
}

void ReadLateWindows(const Net& net, DecoderStyle& style) {
  const bool used = net.config.Flag({"use_sliding_window"}, false);
  const int64_t first = net.config.Integer({"max_window_layers"}, 28);
  ReadWindows(
      net, [=](int64_t layer) { return used && layer >= first; }, style);
}

void BuildDecoder(Net& net, const DecoderStyle& style) {
  ValueId x = Embedded(net, style);
  Blocks blocks(net, style);
  for (int64_t layer = 0; layer < style.layers; ++layer) {
    x = blocks.Add(layer, x);
  }
  AddDecoderHead(net, Finished(net, style, x),
                 {.embedding = net.base + style.embedding,
                  .name = style.head,
                  .vocab = style.vocab,
                  .tied = style.tied,
                  .bias = style.head_bias,
                  .scale = style.logit_scale,
                  .softcap = style.logit_softcap});
}

}  // namespace rebasin::zoo
