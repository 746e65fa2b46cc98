#include "zoo/families/mlp.h"

namespace rebasin::zoo {
namespace {

ValueId Layer(Net& net, const std::string& name, ValueId x, int64_t outputs,
              const MlpStyle& style) {
  return style.conv1d ? Conv1D(net.g, name, x, outputs, style.bias)
                      : Linear(net.g, name, x, outputs, style.bias);
}

ValueId FusedHidden(Net& net, const std::string& name, ValueId x,
                    const MlpStyle& style) {
  GraphBuilder& g = net.g;
  const ValueId both =
      Layer(net, name + "." + style.gate, x, 2 * style.hidden, style);
  const auto parts =
      g.AddMany("Split", {both, g.Ints({style.hidden, style.hidden})},
                {{"axis", int64_t{-1}}}, 2);
  return Times(g, Activated(net, style.activation, parts[0]), parts[1]);
}

ValueId Hidden(Net& net, const std::string& name, ValueId x,
               const MlpStyle& style) {
  if (style.fused) return FusedHidden(net, name, x, style);
  const std::string& first = style.gated ? style.gate : style.up;
  const ValueId active =
      Activated(net, style.activation,
                Layer(net, name + "." + first, x, style.hidden, style));
  if (!style.gated) return active;
  return Times(net.g, active,
               Layer(net, name + "." + style.up, x, style.hidden, style));
}

// [batch, position, expert]: the share of each expert in each token; most are
// zero.
ValueId Shares(Net& net, const std::string& name, ValueId x,
               const ExpertsStyle& style) {
  GraphBuilder& g = net.g;
  const ValueId scores =
      Linear(g, name + "." + style.router, x, style.count, /*bias=*/false);
  const ValueId all = g.Add("Softmax", {scores}, {{"axis", int64_t{-1}}});
  const auto top = g.AddMany("TopK", {all, g.Ints({style.chosen})},
                             {{"axis", int64_t{-1}}}, 2);
  ValueId shares = top[0];
  if (style.normalised) {
    const ValueId sum =
        g.Add("ReduceSum", {shares, g.Ints({-1})}, {{"keepdims", int64_t{1}}});
    shares = g.Add("Div", {shares, sum});
  }
  const ValueId nothing = Scaled(g, all, 0);
  return g.Add("ScatterElements", {nothing, top[1], shares},
               {{"axis", int64_t{-1}}});
}

ValueId SharedExpert(Net& net, const std::string& name, ValueId x,
                     const ExpertsStyle& style) {
  MlpStyle shared = style.expert;
  shared.hidden = style.shared_hidden;
  const ValueId gate =
      net.g.Add("Sigmoid", {Linear(net.g, name + ".shared_expert_gate", x, 1,
                                   /*bias=*/false)});
  return Times(net.g, gate, Mlp(net, name + ".shared_expert", x, shared));
}

}  // namespace

ValueId Mlp(Net& net, const std::string& name, ValueId x,
            const MlpStyle& style) {
  const int64_t width = net.g.shape(x).back();
  return Layer(net, name + "." + style.down, Hidden(net, name, x, style), width,
               style);
}

ValueId Experts(Net& net, const std::string& name, ValueId x,
                const ExpertsStyle& style) {
  GraphBuilder& g = net.g;
  const ValueId shares = Shares(net, name, x, style);
  ValueId sum = kNoValue;
  for (int64_t e = 0; e < style.count; ++e) {
    const ValueId y =
        Mlp(net, name + ".experts." + std::to_string(e), x, style.expert);
    const ValueId part = Times(g, y, Slice(g, shares, 2, e, e + 1));
    sum = sum == kNoValue ? part : Plus(g, sum, part);
  }
  if (style.shared_hidden == 0) return sum;
  return Plus(g, sum, SharedExpert(net, name, x, style));
}

}  // namespace rebasin::zoo
