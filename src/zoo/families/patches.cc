#include "zoo/families/patches.h"

namespace rebasin::zoo {
namespace {

// Nothing is as large; tables grow with the square.
constexpr int64_t kMostPixels = 16384;

}  // namespace

ImageSizes ReadImageSizes(const FamilyConfig& config) {
  const ImageSizes sizes{.image = config.Size({"image_size"}, 224),
                         .patch = config.Size({"patch_size"}, 16),
                         .channels = config.Size({"num_channels"}, 3)};
  if (sizes.image > kMostPixels || sizes.patch > sizes.image) {
    config.Fail("patches of " + std::to_string(sizes.patch) +
                " pixels do not fit images of " + std::to_string(sizes.image));
  }
  return sizes;
}

ValueId PixelInput(GraphBuilder& g, const ImageSizes& sizes) {
  return g.Input("pixel_values",
                 {kOpenSize, sizes.channels, sizes.image, sizes.image},
                 Kind::kFloat, {"batch"});
}

ValueId Patches(GraphBuilder& g, const std::string& name, ValueId images,
                const ImageSizes& sizes, int64_t width, bool bias) {
  const ValueId x = Conv2d(g, name, images, width,
                           {.kernel = sizes.patch,
                            .stride = sizes.patch,
                            .padding = 0,
                            .bias = bias});
  return Transpose(g, Reshape(g, x, {0, width, -1}), {0, 2, 1});
}

ValueId WithTokens(GraphBuilder& g, const std::vector<std::string>& names,
                   const Shape& shape, ValueId x) {
  const int64_t width = g.shape(x).back();
  const ValueId batch =
      g.Add("Shape", {x}, {{"start", int64_t{0}}, {"end", int64_t{1}}});
  std::vector<ValueId> parts;
  for (const std::string& name : names) {
    g.SetScope(name);
    const ValueId sizes = Concat(g, {batch, g.Ints({1, width})}, 0);
    parts.push_back(g.Add("Expand", {g.Weight(name, shape), sizes}));
  }
  parts.push_back(x);
  return Concat(g, std::move(parts), 1);
}

}  // namespace rebasin::zoo
