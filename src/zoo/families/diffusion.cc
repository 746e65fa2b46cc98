#include "zoo/families/diffusion.h"

namespace rebasin::zoo {

ValueId GroupNormed(GraphBuilder& g, const std::string& name, ValueId x,
                    const ImageNorm& norm) {
  g.SetScope(name);
  const Shape channels = {g.shape(x).at(1)};
  return g.Add("GroupNormalization",
               {x, g.Weight(name + ".weight", channels),
                g.Weight(name + ".bias", channels)},
               {{"epsilon", norm.epsilon}, {"num_groups", norm.groups}});
}

ValueId ResidualBlock(Net& net, const std::string& name, ValueId x,
                      int64_t channels, ValueId time, const ImageNorm& norm) {
  GraphBuilder& g = net.g;
  const int64_t inputs = g.shape(x).at(1);
  net.config.Share(inputs, norm.groups, "channels by \"norm_num_groups\"");
  net.config.Share(channels, norm.groups, "channels by \"norm_num_groups\"");
  const auto half = [&](const std::string& which, ValueId y) {
    y = Silu(g, GroupNormed(g, name + ".norm" + which, y, norm));
    return Conv2d(g, name + ".conv" + which, y, channels, {.bias = true});
  };
  ValueId y = half("1", x);
  if (time != kNoValue) {
    const ValueId at =
        Linear(g, name + ".time_emb_proj", Silu(g, time), channels);
    y = Plus(g, y, g.Add("Unsqueeze", {at, g.Ints({2, 3})}));
  }
  y = half("2", y);
  if (inputs != channels) {
    x = Conv2d(g, name + ".conv_shortcut", x, channels,
               {.kernel = 1, .padding = 0, .bias = true});
  }
  return Plus(g, x, y);
}

ValueId Upsampled(GraphBuilder& g, const std::string& name, ValueId x) {
  g.SetScope(name);
  const ValueId scales = g.Constant(MakeArray(Kind::kFloat, {4}, {1, 1, 2, 2}));
  const ValueId large =
      g.Add("Resize", {x, kNoValue, scales},
            {{"mode", std::string("nearest")},
             {"nearest_mode", std::string("floor")},
             {"coordinate_transformation_mode", std::string("asymmetric")}});
  return Conv2d(g, name + ".conv", large, g.shape(x).at(1), {.bias = true});
}

ValueId SquareInput(GraphBuilder& g, const std::string& name, int64_t channels,
                    int64_t size) {
  return g.Input(name, {kOpenSize, channels, size, size}, Kind::kFloat,
                 {"batch"});
}

ValueId AsSequence(GraphBuilder& g, ValueId x) {
  return Transpose(g, Reshape(g, x, {0, 0, -1}), {0, 2, 1});
}

ValueId AsImage(GraphBuilder& g, ValueId x, int64_t across) {
  const int64_t channels = g.shape(x).back();
  return Reshape(g, Transpose(g, x, {0, 2, 1}), {0, channels, across, across});
}

}  // namespace rebasin::zoo
