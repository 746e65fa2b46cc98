// Activations, and operators with short names.

#include <cmath>
#include <numbers>
#include <utility>

#include "zoo/layers.h"

namespace rebasin::zoo {

ValueId Plus(GraphBuilder& g, ValueId x, ValueId y) {
  return g.Add("Add", {x, y});
}

ValueId Times(GraphBuilder& g, ValueId x, ValueId y) {
  return g.Add("Mul", {x, y});
}

ValueId Scaled(GraphBuilder& g, ValueId x, double factor) {
  return Times(g, x, g.Float(factor));
}

ValueId Relu(GraphBuilder& g, ValueId x) { return g.Add("Relu", {x}); }

ValueId Relu6(GraphBuilder& g, ValueId x) {
  return g.Add("Clip", {x, g.Float(0), g.Float(6)});
}

ValueId Silu(GraphBuilder& g, ValueId x) {
  return Times(g, x, g.Add("Sigmoid", {x}));
}

// x (1 + erf(x / sqrt(2))) / 2
ValueId Gelu(GraphBuilder& g, ValueId x) {
  const ValueId erf =
      g.Add("Erf", {g.Add("Div", {x, g.Float(std::numbers::sqrt2)})});
  return Scaled(g, Times(g, x, Plus(g, erf, g.Float(1))), 0.5);
}

// x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
ValueId GeluTanh(GraphBuilder& g, ValueId x) {
  const ValueId cube = g.Add("Pow", {x, g.Float(3)});
  const ValueId inner = Plus(g, x, Scaled(g, cube, 0.044715));
  const ValueId tanh =
      g.Add("Tanh", {Scaled(g, inner, std::sqrt(2 / std::numbers::pi))});
  return Times(g, Scaled(g, x, 0.5), Plus(g, tanh, g.Float(1)));
}

ValueId Transpose(GraphBuilder& g, ValueId x, std::vector<int64_t> order) {
  return g.Add("Transpose", {x}, {{"perm", std::move(order)}});
}

ValueId Reshape(GraphBuilder& g, ValueId x, std::vector<int64_t> sizes) {
  return g.Add("Reshape", {x, g.Ints(std::move(sizes))});
}

ValueId Slice(GraphBuilder& g, ValueId x, int64_t axis, int64_t begin,
              int64_t end) {
  return g.Add("Slice", {x, g.Ints({begin}), g.Ints({end}), g.Ints({axis})});
}

ValueId Concat(GraphBuilder& g, std::vector<ValueId> values, int64_t axis) {
  return g.Add("Concat", std::move(values), {{"axis", axis}});
}

}  // namespace rebasin::zoo
