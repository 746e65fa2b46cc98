#include "zoo/layers.h"

#include <utility>

#include "rebasin/error.h"

namespace rebasin::zoo {

ValueId ImageInput(GraphBuilder& g, int64_t size) {
  return g.Input("input", {kOpenSize, 3, size, size}, Kind::kFloat, {"batch"});
}

ValueId Conv2d(GraphBuilder& g, const std::string& name, ValueId x,
               int64_t channels, const ConvOptions& options) {
  g.SetScope(name);
  const int64_t k = options.kernel;
  const int64_t p = options.padding == kSame ? k / 2 : options.padding;
  const int64_t inputs = g.shape(x).at(1) / options.groups;
  std::vector<ValueId> operands = {
      x, g.Weight(name + ".weight", {channels, inputs, k, k})};
  if (options.bias) operands.push_back(g.Weight(name + ".bias", {channels}));
  return g.Add("Conv", std::move(operands),
               {{"kernel_shape", Shape{k, k}},
                {"strides", Shape{options.stride, options.stride}},
                {"pads", Shape{p, p, p, p}},
                {"group", options.groups}});
}

ValueId Linear(GraphBuilder& g, const std::string& name, ValueId x,
               int64_t outputs, bool bias) {
  g.SetScope(name);
  const Shape& shape = g.shape(x);
  const bool is_matrix = shape.size() == 2;
  const ValueId weight = g.Weight(name + ".weight", {outputs, shape.back()});
  std::vector<ValueId> operands = {x, weight};
  if (bias) operands.push_back(g.Weight(name + ".bias", {outputs}));
  if (is_matrix) return g.Add("Gemm", operands, {{"transB", int64_t{1}}});
  // Exporters write this for more than two axes.
  const ValueId y = g.Add("MatMul", {x, Transpose(g, weight, {1, 0})});
  return bias ? Plus(g, y, operands.back()) : y;
}

ValueId BatchNorm2d(GraphBuilder& g, const std::string& name, ValueId x) {
  g.SetScope(name);
  std::vector<ValueId> operands = {x};
  const Shape per_channel = {g.shape(x).at(1)};
  for (const char* weight :
       {".weight", ".bias", ".running_mean", ".running_var"}) {
    operands.push_back(g.Weight(name + weight, per_channel));
  }
  return g.Add("BatchNormalization", std::move(operands), {{"epsilon", 1e-5}});
}

ValueId LayerNorm(GraphBuilder& g, const std::string& name, ValueId x,
                  double epsilon) {
  g.SetScope(name);
  const Shape sizes = {g.shape(x).back()};
  return g.Add(
      "LayerNormalization",
      {x, g.Weight(name + ".weight", sizes), g.Weight(name + ".bias", sizes)},
      {{"axis", int64_t{-1}}, {"epsilon", epsilon}});
}

ValueId LayerNorm2d(GraphBuilder& g, const std::string& name, ValueId x,
                    double epsilon) {
  g.SetScope(name);
  const ValueId channels_last = Transpose(g, x, {0, 2, 3, 1});
  return Transpose(g, LayerNorm(g, name, channels_last, epsilon), {0, 3, 1, 2});
}

namespace {

std::vector<ValueId> WithScaleAndBias(GraphBuilder& g, const std::string& name,
                                      ValueId x) {
  g.SetScope(name);
  const Shape per_channel = {g.shape(x).at(1)};
  return {x, g.Weight(name + ".weight", per_channel),
          g.Weight(name + ".bias", per_channel)};
}

int64_t UsualGroups(int64_t channels) {
  int64_t groups = 8;
  while (groups > 1 && channels % (2 * groups) != 0) groups /= 2;
  return groups;
}

}  // namespace

ValueId InstanceNorm2d(GraphBuilder& g, const std::string& name, ValueId x) {
  return g.Add("InstanceNormalization", WithScaleAndBias(g, name, x),
               {{"epsilon", 1e-5}});
}

ValueId GroupNorm2d(GraphBuilder& g, const std::string& name, ValueId x,
                    int64_t groups) {
  const int64_t channels = g.shape(x).at(1);
  const int64_t count = groups == 0 ? UsualGroups(channels) : groups;
  if (channels % count != 0) {
    throw Error(ErrorCode::kUsage, "the " + std::to_string(channels) +
                                       " channels of " + Quoted(name) +
                                       " are no multiple of " +
                                       std::to_string(count) + " groups");
  }
  return g.Add("GroupNormalization", WithScaleAndBias(g, name, x),
               {{"epsilon", 1e-5}, {"num_groups", count}});
}

ValueId RmsNorm(GraphBuilder& g, const std::string& name, ValueId x,
                double epsilon) {
  g.SetScope(name);
  const ValueId squares = g.Add("Pow", {x, g.Float(2)});
  const ValueId mean =
      g.Add("ReduceMean", {squares, g.Ints({-1})}, {{"keepdims", int64_t{1}}});
  const ValueId root = g.Add("Sqrt", {Plus(g, mean, g.Float(epsilon))});
  const ValueId normal = g.Add("Div", {x, root});
  return Times(g, g.Weight(name + ".weight", {g.shape(x).back()}), normal);
}

ValueId MaxPool2d(GraphBuilder& g, ValueId x, int64_t kernel, int64_t stride,
                  int64_t padding) {
  return g.Add("MaxPool", {x},
               {{"kernel_shape", Shape{kernel, kernel}},
                {"strides", Shape{stride, stride}},
                {"pads", Shape(4, padding)}});
}

ValueId AveragePool2d(GraphBuilder& g, ValueId x, int64_t kernel) {
  return g.Add("AveragePool", {x},
               {{"kernel_shape", Shape{kernel, kernel}},
                {"strides", Shape{kernel, kernel}}});
}

ValueId GlobalAveragePool2d(GraphBuilder& g, ValueId x) {
  return g.Add("GlobalAveragePool", {x});
}

ValueId Flatten(GraphBuilder& g, ValueId x) {
  return g.Add("Flatten", {x}, {{"axis", int64_t{1}}});
}

ValueId PoolAll(GraphBuilder& g, ValueId x) {
  return Flatten(g, GlobalAveragePool2d(g, x));
}

ValueId Embedding(GraphBuilder& g, const std::string& name, ValueId indices,
                  int64_t rows, int64_t width) {
  g.SetScope(name);
  return g.Add("Gather", {g.Weight(name + ".weight", {rows, width}), indices},
               {{"axis", int64_t{0}}});
}

}  // namespace rebasin::zoo
