#include "zoo/families/attention.h"

#include <algorithm>
#include <cmath>

namespace rebasin::zoo {
namespace {

constexpr double kNever = -1e9;
constexpr int64_t kMostHeads = 65536;

// Heads of one attention: [batch, head, position, unit].
struct Heads {
  ValueId q, k, v;
};

ValueId Projection(Net& net, const std::string& name, ValueId x,
                   int64_t outputs, const AttentionStyle& style, bool bias) {
  return style.conv1d ? Conv1D(net.g, name, x, outputs, bias)
                      : Linear(net.g, name, x, outputs, bias);
}

// From [batch, position, heads, size] to [batch, heads, position, size].
ValueId HeadsFirst(GraphBuilder& g, ValueId x) {
  return Transpose(g, x, {0, 2, 1, 3});
}

Heads SeparateHeads(Net& net, const std::string& name, ValueId x,
                    ValueId memory, const AttentionStyle& s) {
  const auto heads = [&](const std::string& part, ValueId from, int64_t count,
                         bool bias) {
    return Projection(net, name + "." + part, from, count * s.size, s, bias);
  };
  return {heads(s.q, x, s.heads, s.q_bias),
          heads(s.k, memory, s.kv_heads, s.k_bias),
          heads(s.v, memory, s.kv_heads, s.v_bias)};
}

Heads BlocksOf(Net& net, const std::string& name, ValueId x,
               const AttentionStyle& s) {
  GraphBuilder& g = net.g;
  const int64_t q = s.heads * s.size, kv = s.kv_heads * s.size;
  const ValueId all =
      Projection(net, name + "." + s.qkv, x, q + 2 * kv, s, s.q_bias);
  const auto parts = g.AddMany("Split", {all, g.Ints({q, kv, kv})},
                               {{"axis", int64_t{-1}}}, 3);
  return {parts[0], parts[1], parts[2]};
}

// Each key head with its queries: (key head, queries and key and value). The
// second is split as one axis, because symmetries can tell parts of an axis
// apart only at the end of a product.
Heads InterleavedHeads(Net& net, const std::string& name, ValueId x,
                       const AttentionStyle& s) {
  GraphBuilder& g = net.g;
  const int64_t queries = s.heads / s.kv_heads * s.size;
  const int64_t each = queries + 2 * s.size;
  const ValueId all =
      Projection(net, name + "." + s.qkv, x, s.kv_heads * each, s, s.q_bias);
  const ValueId by_head = Reshape(g, all, {0, 0, s.kv_heads, each});
  const auto parts =
      g.AddMany("Split", {by_head, g.Ints({queries, s.size, s.size})},
                {{"axis", int64_t{3}}}, 3);
  const auto flat = [&](ValueId part, int64_t count) {
    return Reshape(g, part, {0, 0, count * s.size});
  };
  return {flat(parts[0], s.heads), flat(parts[1], s.kv_heads),
          flat(parts[2], s.kv_heads)};
}

// Norms with own weights for each head, NAME.norms.N. Heads keep their places
// then, because lists of tensors for queries within those for keys are not
// searched for.
ValueId NormsOfEach(Net& net, const std::string& name, ValueId x,
                    const NormStyle& style) {
  GraphBuilder& g = net.g;
  const int64_t heads = g.shape(x)[1], size = g.shape(x)[3];
  CheckLayerCount(net, heads, name + ".norms", "heads");
  g.SetScope(name);
  std::vector<ValueId> weights;
  for (int64_t head = 0; head < heads; ++head) {
    const std::string each = name + ".norms." + std::to_string(head);
    weights.push_back(g.Add(
        "Unsqueeze", {g.Weight(each + ".weight", {size}), g.Ints({0, 1})}));
  }
  const ValueId normal = Normalized(
      g, name, x, {.kind = NormKind::kBare, .epsilon = style.epsilon});
  return Times(g, normal, Concat(g, std::move(weights), 0));
}

// From [batch, position, heads * size], with its norm.
ValueId SplitAndNormalized(Net& net, const std::string& norm, ValueId x,
                           int64_t heads, const AttentionStyle& s) {
  GraphBuilder& g = net.g;
  if (s.head_norm == HeadNorm::kWhole) x = Normalized(g, norm, x, s.norm);
  ValueId split = Reshape(g, x, {0, 0, heads, s.size});
  if (s.head_norm == HeadNorm::kShared) {
    split = Normalized(g, norm, split, s.norm);
  }
  split = HeadsFirst(g, split);
  return s.head_norm == HeadNorm::kEach ? NormsOfEach(net, norm, split, s.norm)
                                        : split;
}

// Repeats each key head for all of its queries.
ValueId Repeated(GraphBuilder& g, ValueId x, int64_t times) {
  if (times == 1) return x;
  const Shape shape = g.shape(x);
  const ValueId spread = g.Add("Unsqueeze", {x, g.Ints({2})});
  const ValueId copies = g.Add("Expand", {spread, g.Ints({1, 1, times, 1, 1})});
  return Reshape(g, copies, {0, shape[1] * times, shape[2], shape[3]});
}

ValueId Scores(GraphBuilder& g, const Heads& heads, const AttentionStyle& s,
               ValueId mask) {
  const double usual = 1 / std::sqrt(static_cast<double>(s.size));
  const ValueId products =
      g.Add("MatMul", {heads.q, Transpose(g, heads.k, {0, 1, 3, 2})});
  ValueId scores = s.scale == 1
                       ? products
                       : Scaled(g, products, s.scale == 0 ? usual : s.scale);
  if (s.softcap > 0) {
    scores =
        Scaled(g, g.Add("Tanh", {Scaled(g, scores, 1 / s.softcap)}), s.softcap);
  }
  return mask == kNoValue ? scores : Plus(g, scores, mask);
}

ValueId Attended(Net& net, const std::string& name, ValueId x, Heads flat,
                 const AttentionStyle& s, ValueId mask) {
  GraphBuilder& g = net.g;
  g.SetScope(name);
  const int64_t width = g.shape(x).back();
  if (s.clip > 0) {
    for (ValueId* value : {&flat.q, &flat.k, &flat.v}) {
      *value = g.Add("Clip", {*value, g.Float(-s.clip), g.Float(s.clip)});
    }
  }
  Heads heads{
      SplitAndNormalized(net, name + "." + s.q_norm, flat.q, s.heads, s),
      SplitAndNormalized(net, name + "." + s.k_norm, flat.k, s.kv_heads, s),
      HeadsFirst(g, Reshape(g, flat.v, {0, 0, s.kv_heads, s.size}))};
  g.SetScope(name);
  if (s.rotation) {
    heads.q = Rotated(g, heads.q, *s.rotation);
    heads.k = Rotated(g, heads.k, *s.rotation);
  }
  heads.k = Repeated(g, heads.k, s.heads / s.kv_heads);
  heads.v = Repeated(g, heads.v, s.heads / s.kv_heads);
  const ValueId shares =
      g.Add("Softmax", {Scores(g, heads, s, mask)}, {{"axis", int64_t{-1}}});
  const ValueId mixed = g.Add("MatMul", {shares, heads.v});
  const ValueId joined =
      Reshape(g, HeadsFirst(g, mixed), {0, 0, s.heads * s.size});
  return Projection(net, name + "." + s.out, joined, width, s, s.out_bias);
}

// Slopes of a power of two of heads.
std::vector<double> EvenSlopes(int64_t heads) {
  const double step = std::exp2(-8.0 / static_cast<double>(heads));
  std::vector<double> slopes;
  for (int64_t h = 1; h <= heads; ++h) {
    slopes.push_back(std::pow(step, static_cast<double>(h)));
  }
  return slopes;
}

// Other numbers take every second slope of twice as many heads.
std::vector<double> Slopes(int64_t heads) {
  int64_t even = 1;
  while (2 * even <= heads) even *= 2;
  std::vector<double> slopes = EvenSlopes(even);
  const std::vector<double> more = EvenSlopes(2 * even);
  for (int64_t h = even; h < heads; ++h) {
    slopes.push_back(more[2 * (h - even)]);
  }
  return slopes;
}

}  // namespace

AttentionStyle UsualAttention(const Net& net, int64_t width,
                              int64_t head_size) {
  const FamilyConfig& config = net.config;
  AttentionStyle style;
  style.heads = config.Size({"num_attention_heads", "n_head", "num_heads"});
  if (style.heads > kMostHeads) {
    config.Fail(std::to_string(style.heads) + " heads are more than " +
                std::to_string(kMostHeads));
  }
  style.kv_heads = config.Size({"num_key_value_heads"}, style.heads);
  config.Share(style.heads, style.kv_heads,
               "\"num_attention_heads\" by \"num_key_value_heads\"");
  style.size = config.Size({"head_dim"}, head_size == 0 ? 1 : head_size);
  if (!config.Has({"head_dim"}) && head_size == 0) {
    style.size = config.Share(width, style.heads,
                              "\"hidden_size\" by \"num_attention_heads\"");
  }
  return style;
}

ValueId SelfAttention(Net& net, const std::string& name, ValueId x,
                      const AttentionStyle& style, ValueId mask) {
  const Heads heads =
      style.fusion == Fusion::kNone     ? SeparateHeads(net, name, x, x, style)
      : style.fusion == Fusion::kBlocks ? BlocksOf(net, name, x, style)
                                        : InterleavedHeads(net, name, x, style);
  return Attended(net, name, x, heads, style, mask);
}

ValueId CrossAttention(Net& net, const std::string& name, ValueId x,
                       ValueId memory, const AttentionStyle& style) {
  return Attended(net, name, x, SeparateHeads(net, name, x, memory, style),
                  style, kNoValue);
}

ValueId CausalMask(GraphBuilder& g, int64_t length, int64_t window) {
  std::vector<double> mask;
  for (int64_t from = 0; from < length; ++from) {
    for (int64_t to = 0; to < length; ++to) {
      const bool sees = to <= from && (window <= 0 || from - to < window);
      mask.push_back(sees ? 0 : kNever);
    }
  }
  return g.Constant(MakeArray(Kind::kFloat, {length, length}, std::move(mask)));
}

ValueId AlibiBias(GraphBuilder& g, int64_t heads) {
  std::vector<double> bias;
  for (const double slope : Slopes(heads)) {
    for (int64_t position = 0; position < kSequence; ++position) {
      bias.push_back(slope * static_cast<double>(position));
    }
  }
  return g.Constant(
      MakeArray(Kind::kFloat, {heads, 1, kSequence}, std::move(bias)));
}

}  // namespace rebasin::zoo
