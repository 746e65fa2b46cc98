// ConvNeXt with the names of Hugging Face.

#include "zoo/families/bert_heads.h"
#include "zoo/families/family.h"
#include "zoo/families/heads.h"
#include "zoo/families/patches.h"

namespace rebasin::zoo {
namespace {

constexpr double kEpsilon = 1e-6;

ValueId AddBlock(Net& net, const std::string& name, ValueId x) {
  GraphBuilder& g = net.g;
  const int64_t channels = g.shape(x)[1];
  ValueId y = Conv2d(g, name + ".dwconv", x, channels,
                     {.kernel = 7, .groups = channels, .bias = true});
  y = LayerNorm(g, name + ".layernorm", Transpose(g, y, {0, 2, 3, 1}),
                kEpsilon);
  y = Linear(g, name + ".pwconv1", y, 4 * channels);
  y = Activated(net, net.config.Word({"hidden_act"}, "gelu"), y);
  y = Linear(g, name + ".pwconv2", y, channels);
  if (net.config.Number({"layer_scale_init_value"}, 1e-6) > 0) {
    y = Times(g, y, g.Weight(name + ".layer_scale_parameter", {channels}));
  }
  return Plus(g, x, Transpose(g, y, {0, 3, 1, 2}));
}

ValueId Downsampled(GraphBuilder& g, const std::string& name, ValueId x,
                    int64_t channels) {
  const ValueId y = LayerNorm2d(g, name + ".0", x, kEpsilon);
  return Conv2d(g, name + ".1", y, channels,
                {.kernel = 2, .stride = 2, .padding = 0, .bias = true});
}

// The image may be of any size; so large that the last stage has 2 x 2 points.
ImageSizes SizesFor(const FamilyConfig& config, size_t stages) {
  ImageSizes sizes{.patch = config.Size({"patch_size"}, 4),
                   .channels = config.Size({"num_channels"}, 3)};
  if (sizes.patch > 64 || stages > 8) config.Refuse("images are too large");
  sizes.image = sizes.patch << stages;
  return sizes;
}

void BuildConvNext(Net& net) {
  GraphBuilder& g = net.g;
  const FamilyConfig& config = net.config;
  const std::vector<int64_t> depths = config.Sizes({"depths"});
  const std::vector<int64_t> widths = config.Sizes({"hidden_sizes"});
  const std::string stages = net.base + "encoder.stages";
  CheckLayerCount(net, static_cast<int64_t>(depths.size()), stages, "stages");
  if (widths.size() != depths.size()) {
    config.Fail("\"depths\" and \"hidden_sizes\" have different lengths");
  }
  const ImageSizes sizes = SizesFor(config, depths.size());
  ValueId x = Conv2d(g, net.base + "embeddings.patch_embeddings",
                     PixelInput(g, sizes), widths[0],
                     {.kernel = sizes.patch,
                      .stride = sizes.patch,
                      .padding = 0,
                      .bias = true});
  x = LayerNorm2d(g, net.base + "embeddings.layernorm", x, kEpsilon);
  for (size_t s = 0; s < depths.size(); ++s) {
    const std::string name = stages + "." + std::to_string(s);
    if (s > 0) x = Downsampled(g, name + ".downsampling_layer", x, widths[s]);
    CheckLayerCount(net, depths[s], name + ".layers", "blocks");
    for (int64_t layer = 0; layer < depths[s]; ++layer) {
      x = AddBlock(net, name + ".layers." + std::to_string(layer), x);
    }
  }
  const ValueId pooled =
      Normalized(g, net.base + "layernorm", PoolAll(g, x),
                 {.epsilon = config.Number({"layer_norm_eps"}, 1e-12)});
  if (!AddClasses(net, net.outer + "classifier", pooled)) {
    AddBaseOutputs(net, x, pooled);
  }
}

}  // namespace

std::vector<Family> ConvNextFamilies() {
  return {{"convnext", "ConvNeXt", "convnext.",
           "embeddings.patch_embeddings.weight", BuildConvNext}};
}

}  // namespace rebasin::zoo
