// Swin: attention within windows of an image, which every second block moves by
// half their size; between stages four neighbours become one.

#include <algorithm>

#include "zoo/families/bert_heads.h"
#include "zoo/families/encoder.h"
#include "zoo/families/family.h"
#include "zoo/families/heads.h"
#include "zoo/families/patches.h"

namespace rebasin::zoo {
namespace {

constexpr double kNever = -100;  // as Swin has it

// Stages with square grids [batch, row, column, channel].
struct Stage {
  int64_t across = 0, channels = 0, heads = 0, window = 0;
};

// Moves rows and columns by `shift`, those at the front to the end.
ValueId Rolled(GraphBuilder& g, ValueId x, int64_t shift) {
  for (const int64_t axis : {1, 2}) {
    const int64_t size = g.shape(x)[static_cast<size_t>(axis)];
    const int64_t at = (shift + size) % size;
    if (at == 0) continue;
    x = Concat(g, {Slice(g, x, axis, at, size), Slice(g, x, axis, 0, at)},
               axis);
  }
  return x;
}

ValueId InWindows(GraphBuilder& g, ValueId x, const Stage& s) {
  const int64_t count = s.across / s.window;
  x = Reshape(g, x, {-1, count, s.window, count, s.window, s.channels});
  x = Transpose(g, x, {0, 1, 3, 2, 4, 5});
  return Reshape(g, x, {-1, s.window * s.window, s.channels});
}

ValueId OutOfWindows(GraphBuilder& g, ValueId x, const Stage& s) {
  const int64_t count = s.across / s.window;
  x = Reshape(g, x, {-1, count, count, s.window, s.window, s.channels});
  x = Transpose(g, x, {0, 1, 3, 2, 4, 5});
  return Reshape(g, x, {-1, s.across, s.across, s.channels});
}

// The part of the moved image in which a row or column lies.
int64_t RegionOf(int64_t at, int64_t shift, const Stage& s) {
  return at < s.across - s.window ? 0 : at < s.across - shift ? 1 : 2;
}

// [window, position, position]: positions of other parts are not seen.
Array RegionMask(int64_t shift, const Stage& s) {
  const int64_t count = s.across / s.window, size = s.window * s.window;
  const auto region = [&](int64_t window, int64_t position) {
    const int64_t row = window / count * s.window + position / s.window;
    const int64_t column = window % count * s.window + position % s.window;
    return 3 * RegionOf(row, shift, s) + RegionOf(column, shift, s);
  };
  std::vector<double> mask;
  for (int64_t window = 0; window < count * count; ++window) {
    for (int64_t from = 0; from < size; ++from) {
      for (int64_t to = 0; to < size; ++to) {
        mask.push_back(region(window, from) == region(window, to) ? 0 : kNever);
      }
    }
  }
  return MakeArray(Kind::kFloat, {1, count * count, 1, size, size},
                   std::move(mask));
}

// The same for the windows of all images: [batch * window, 1, position,
// position].
ValueId MaskOfWindows(GraphBuilder& g, ValueId images, int64_t shift,
                      const Stage& s) {
  const int64_t count = s.across / s.window, size = s.window * s.window;
  const ValueId batch =
      g.Add("Shape", {images}, {{"start", int64_t{0}}, {"end", int64_t{1}}});
  const ValueId sizes =
      Concat(g, {batch, g.Ints({count * count, 1, size, size})}, 0);
  const ValueId masks =
      g.Add("Expand", {g.Constant(RegionMask(shift, s)), sizes});
  return Reshape(g, masks, {-1, 1, size, size});
}

// [heads, position, position], from a table of distances.
ValueId DistanceBias(GraphBuilder& g, const std::string& name, const Stage& s) {
  g.SetScope(name);
  const int64_t side = 2 * s.window - 1, size = s.window * s.window;
  std::vector<int64_t> rows;
  for (int64_t from = 0; from < size; ++from) {
    for (int64_t to = 0; to < size; ++to) {
      const int64_t down = from / s.window - to / s.window + s.window - 1;
      const int64_t right = from % s.window - to % s.window + s.window - 1;
      rows.push_back(down * side + right);
    }
  }
  const ValueId table = g.Weight(name, {side * side, s.heads});
  const ValueId found =
      g.Add("Gather", {table, g.Ints(std::move(rows))}, {{"axis", int64_t{0}}});
  return Transpose(g, Reshape(g, found, {size, size, s.heads}), {2, 0, 1});
}

EncoderBlock SwinBlock(const Net& net, const Stage& s) {
  const FamilyConfig& config = net.config;
  EncoderBlock block;
  block.norm.epsilon = config.Number({"layer_norm_eps"}, 1e-5);
  AttentionStyle& attention = block.attention;
  attention.heads = attention.kv_heads = s.heads;
  attention.size =
      config.Share(s.channels, s.heads, "channels by \"num_heads\"");
  attention.SetBias(config.Flag({"qkv_bias"}, true), true);
  attention.q = "self.query";
  attention.k = "self.key";
  attention.v = "self.value";
  attention.out = "output.dense";
  const double ratio = config.Number({"mlp_ratio"}, 4);
  if (!(ratio > 0) || ratio > 64) config.Fail("\"mlp_ratio\" is out of range");
  block.mlp = {
      .hidden = static_cast<int64_t>(ratio * static_cast<double>(s.channels)),
      .activation = config.Word({"hidden_act"}, "gelu"),
      .gated = false,
      .bias = true,
      .up = "intermediate.dense",
      .down = "output.dense"};
  return block;
}

ValueId AddBlock(Net& net, const std::string& name, ValueId x, bool shifted,
                 const Stage& s) {
  GraphBuilder& g = net.g;
  const EncoderBlock block = SwinBlock(net, s);
  const int64_t shift = shifted && s.across > s.window ? s.window / 2 : 0;
  ValueId y = Normalized(g, name + ".layernorm_before", x, block.norm);
  y = InWindows(g, Rolled(g, y, shift), s);
  ValueId mask =
      DistanceBias(g, name + ".attention.self.relative_position_bias_table", s);
  if (shift > 0) mask = Plus(g, mask, MaskOfWindows(g, x, shift, s));
  y = SelfAttention(net, name + ".attention", y, block.attention, mask);
  x = Plus(g, x, Rolled(g, OutOfWindows(g, y, s), -shift));
  y = Normalized(g, name + ".layernorm_after", x, block.norm);
  return Plus(g, x, Mlp(net, name, y, block.mlp));
}

// Four neighbours beside each other, and half as many channels of them.
ValueId Merged(GraphBuilder& g, const std::string& name, ValueId x,
               const Stage& s) {
  const int64_t half = s.across / 2;
  const ValueId split = Reshape(g, x, {-1, half, 2, half, 2, s.channels});
  std::vector<ValueId> parts;
  for (const int64_t right : {0, 1}) {
    for (const int64_t down : {0, 1}) {
      const ValueId rows =
          g.Add("Gather", {split, g.Int(down)}, {{"axis", int64_t{2}}});
      parts.push_back(
          g.Add("Gather", {rows, g.Int(right)}, {{"axis", int64_t{3}}}));
    }
  }
  const ValueId all = LayerNorm(g, name + ".norm", Concat(g, parts, 3));
  return Linear(g, name + ".reduction", all, 2 * s.channels, /*bias=*/false);
}

void CheckStage(const FamilyConfig& config, const Stage& s) {
  if (s.across * s.window > 4096) config.Refuse("windows are too many");
  if (s.across < s.window || s.across % s.window != 0) {
    config.Refuse("windows of " + std::to_string(s.window) + " in a grid of " +
                  std::to_string(s.across) + " need padding, which is unknown");
  }
}

ValueId Embedded(Net& net, const ImageSizes& sizes, int64_t width) {
  GraphBuilder& g = net.g;
  const std::string name = net.base + "embeddings.";
  ValueId x = Patches(g, name + "patch_embeddings.projection",
                      PixelInput(g, sizes), sizes, width);
  x = LayerNorm(g, name + "norm", x);
  if (net.config.Flag({"use_absolute_embeddings"}, false)) {
    net.config.Refuse("tables of positions are unknown in Swin");
  }
  return Reshape(g, x, {0, sizes.across(), sizes.across(), width});
}

void BuildSwin(Net& net) {
  GraphBuilder& g = net.g;
  const FamilyConfig& config = net.config;
  const ImageSizes sizes = ReadImageSizes(config);
  const std::vector<int64_t> depths = config.Sizes({"depths"});
  const std::vector<int64_t> heads = config.Sizes({"num_heads"});
  const std::string layers = net.base + "encoder.layers";
  CheckLayerCount(net, static_cast<int64_t>(depths.size()), layers, "stages");
  if (heads.size() != depths.size()) {
    config.Fail("\"depths\" and \"num_heads\" have different lengths");
  }
  Stage stage{.across = sizes.across(),
              .channels = config.Size({"embed_dim"}),
              .window = config.Size({"window_size"}, 7)};
  if (stage.window > 32) config.Refuse("windows are larger than 32");
  ValueId x = Embedded(net, sizes, stage.channels);
  for (size_t s = 0; s < depths.size(); ++s) {
    const std::string name = layers + "." + std::to_string(s);
    stage.heads = heads[s];
    CheckStage(config, stage);
    CheckLayerCount(net, depths[s], name + ".blocks", "blocks");
    for (int64_t block = 0; block < depths[s]; ++block) {
      x = AddBlock(net, name + ".blocks." + std::to_string(block), x,
                   block % 2 == 1, stage);
    }
    if (s + 1 == depths.size()) break;
    x = Merged(g, name + ".downsample", x, stage);
    stage.across /= 2;
    stage.channels *= 2;
  }
  x = Reshape(g, x, {0, stage.across * stage.across, stage.channels});
  x = Normalized(g, net.base + "layernorm", x,
                 {.epsilon = config.Number({"layer_norm_eps"}, 1e-5)});
  const ValueId pooled =
      g.Add("ReduceMean", {x, g.Ints({1})}, {{"keepdims", int64_t{0}}});
  if (!AddClasses(net, net.outer + "classifier", pooled)) {
    AddBaseOutputs(net, x, pooled);
  }
}

}  // namespace

std::vector<Family> SwinFamilies() {
  return {{"swin", "Swin", "swin.",
           "embeddings.patch_embeddings.projection.weight", BuildSwin}};
}

}  // namespace rebasin::zoo
