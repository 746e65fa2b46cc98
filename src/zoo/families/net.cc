#include "zoo/families/net.h"

#include <algorithm>
#include <numeric>

#include "rebasin/error.h"

namespace rebasin::zoo {
namespace {

// More than any model has, and few enough to be built in a second.
constexpr int64_t kMostLayers = 2000;

bool HasAnyWith(const Net& net, const std::string& prefix) {
  const auto& tensors = net.weights.tensors();
  return std::any_of(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
    return tensor.name.starts_with(prefix);
  });
}

// x / sqrt(mean(x^2) + epsilon)
ValueId ByRootMeanSquare(GraphBuilder& g, ValueId x, double epsilon) {
  const ValueId squares = g.Add("Pow", {x, g.Float(2)});
  const ValueId mean =
      g.Add("ReduceMean", {squares, g.Ints({-1})}, {{"keepdims", int64_t{1}}});
  const ValueId root = g.Add("Sqrt", {Plus(g, mean, g.Float(epsilon))});
  return g.Add("Div", {x, root});
}

ValueId Centred(GraphBuilder& g, ValueId x) {
  const ValueId mean =
      g.Add("ReduceMean", {x, g.Ints({-1})}, {{"keepdims", int64_t{1}}});
  return g.Add("Sub", {x, mean});
}

ValueId QuickGelu(GraphBuilder& g, ValueId x) {
  return Times(g, x, g.Add("Sigmoid", {Scaled(g, x, 1.702)}));
}

}  // namespace

bool Net::IsArchitecture(std::string_view ending) const {
  const auto words = config.Words({"architectures"});
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word.ends_with(ending);
  });
}

int64_t LayerCount(const Net& net, Keys keys, const std::string& prefix) {
  const int64_t layers = net.config.Size(keys);
  CheckLayerCount(net, layers, prefix);
  return layers;
}

void CheckLayerCount(const Net& net, int64_t layers, const std::string& prefix,
                     const std::string& what) {
  const auto name = [&](int64_t layer) {
    return prefix + "." + std::to_string(layer) + ".";
  };
  if (layers > kMostLayers) {
    net.config.Fail(std::to_string(layers) + " " + what + " are more than " +
                    std::to_string(kMostLayers));
  }
  const bool has_last = HasAnyWith(net, name(layers - 1));
  if (has_last && !HasAnyWith(net, name(layers))) return;
  const int64_t first = has_last ? layers : layers - 1;
  throw Error(ErrorCode::kMismatch,
              "config.json says " + std::to_string(layers) + " " + what +
                  ", but the model has " + (has_last ? "" : "no ") +
                  "tensors " + Quoted(name(first) + "*"),
              "move config.json away if it belongs to another model; else a "
              "shard may be missing");
}

ValueId Conv1D(GraphBuilder& g, const std::string& name, ValueId x,
               int64_t outputs, bool bias) {
  g.SetScope(name);
  const ValueId weight =
      g.Weight(name + ".weight", {g.shape(x).back(), outputs});
  const ValueId y = g.Add("MatMul", {x, weight});
  return bias ? Plus(g, y, g.Weight(name + ".bias", {outputs})) : y;
}

ValueId SequenceInput(GraphBuilder& g, const std::string& name,
                      int64_t length) {
  return g.Input(name, {kOpenSize, length}, Kind::kInteger, {"batch"});
}

ValueId PositionIds(GraphBuilder& g) {
  std::vector<int64_t> positions(kSequence);
  std::iota(positions.begin(), positions.end(), 0);
  return g.Ints(std::move(positions));
}

ValueId Positions(Net& net, const std::string& name, int64_t rows,
                  int64_t width, int64_t first) {
  if (rows < first + kSequence) {
    net.config.Fail("a table of " + std::to_string(rows) +
                    " positions is too short: at least " +
                    std::to_string(first + kSequence) + " are needed");
  }
  std::vector<int64_t> ids(kSequence);
  std::iota(ids.begin(), ids.end(), first);
  return Embedding(net.g, name, net.g.Ints(std::move(ids)), rows, width);
}

ValueId Activated(Net& net, const std::string& name, ValueId x) {
  using Function = ValueId (*)(GraphBuilder&, ValueId);
  static const std::map<std::string, Function> kFunctions = {
      {"gelu", Gelu},
      {"gelu_python", Gelu},
      {"gelu_new", GeluTanh},
      {"gelu_fast", GeluTanh},
      {"gelu_pytorch_tanh", GeluTanh},
      {"quick_gelu", QuickGelu},
      {"silu", Silu},
      {"swish", Silu},
      {"relu", Relu},
      {"tanh", [](GraphBuilder& g, ValueId y) { return g.Add("Tanh", {y}); }},
      {"sigmoid",
       [](GraphBuilder& g, ValueId y) { return g.Add("Sigmoid", {y}); }}};
  const auto found = kFunctions.find(name);
  if (found == kFunctions.end()) {
    net.config.Refuse("the activation " + Quoted(name) + " is unknown");
  }
  return found->second(net.g, x);
}

ValueId Normalized(GraphBuilder& g, const std::string& name, ValueId x,
                   const NormStyle& style) {
  g.SetScope(name);
  if (style.kind == NormKind::kLayer) {
    return LayerNorm(g, name, x, style.epsilon);
  }
  const bool centred =
      style.kind == NormKind::kBare || style.kind == NormKind::kLayerPlain;
  const ValueId normal =
      ByRootMeanSquare(g, centred ? Centred(g, x) : x, style.epsilon);
  if (style.kind == NormKind::kBare) return normal;
  ValueId weight = g.Weight(name + ".weight", {g.shape(x).back()});
  if (style.kind == NormKind::kRmsPlusOne) {
    weight = Plus(g, weight, g.Float(1));
  }
  return Times(g, weight, normal);
}

}  // namespace rebasin::zoo
