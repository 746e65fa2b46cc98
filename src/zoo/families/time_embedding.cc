#include "zoo/families/time_embedding.h"

#include <cmath>

namespace rebasin::zoo {
namespace {

// Cosines and sines of numbers at many speeds: [..., size].
ValueId Waves(Net& net, ValueId numbers, int64_t size) {
  GraphBuilder& g = net.g;
  const double shift = net.config.Number({"freq_shift"}, 0);
  const auto half = static_cast<double>(size / 2);
  std::vector<double> speeds;
  for (int64_t i = 0; i < size / 2; ++i) {
    speeds.push_back(
        std::exp(-std::log(10000.0) * static_cast<double>(i) / (half - shift)));
  }
  const ValueId angles =
      Times(g, g.Add("Unsqueeze", {numbers, g.Ints({-1})}),
            g.Constant(MakeArray(Kind::kFloat, {size / 2}, std::move(speeds))));
  const ValueId sines = g.Add("Sin", {angles}),
                cosines = g.Add("Cos", {angles});
  return net.config.Flag({"flip_sin_to_cos"}, true)
             ? Concat(g, {cosines, sines}, -1)
             : Concat(g, {sines, cosines}, -1);
}

ValueId TwoLayers(GraphBuilder& g, const std::string& name, ValueId x,
                  int64_t width) {
  return Linear(g, name + ".linear_2",
                Silu(g, Linear(g, name + ".linear_1", x, width)), width);
}

// SDXL: the pooled text and the sizes of the image.
ValueId Additions(Net& net, int64_t width) {
  GraphBuilder& g = net.g;
  constexpr int64_t kNumbers = 6;
  const FamilyConfig& config = net.config;
  const int64_t each = config.Size({"addition_time_embed_dim"});
  const int64_t all = config.Size({"projection_class_embeddings_input_dim"});
  const int64_t text = all - kNumbers * each;
  if (text < 1 || each > 65536) {
    config.Fail("\"projection_class_embeddings_input_dim\" is too small");
  }
  const ValueId embeds =
      g.Input("text_embeds", {kOpenSize, text}, Kind::kFloat, {"batch"});
  const ValueId numbers =
      g.Input("time_ids", {kOpenSize, kNumbers}, Kind::kFloat, {"batch"});
  const ValueId waves =
      Reshape(g, Waves(net, numbers, each), {0, kNumbers * each});
  return TwoLayers(g, net.base + "add_embedding",
                   Concat(g, {embeds, waves}, -1), width);
}

}  // namespace

ValueId TimeEmbedding(Net& net, int64_t channels) {
  GraphBuilder& g = net.g;
  const FamilyConfig& config = net.config;
  if (channels > 65536) config.Fail("\"block_out_channels\" are too large");
  const ValueId time =
      g.Input("timestep", {kOpenSize}, Kind::kFloat, {"batch"});
  ValueId x = TwoLayers(g, net.base + "time_embedding",
                        Waves(net, time, channels), 4 * channels);
  const std::string type = config.Word({"addition_embed_type"}, "");
  if (type == "text_time") return Plus(g, x, Additions(net, 4 * channels));
  if (!type.empty()) {
    config.Refuse("additions of the kind " + Quoted(type) + " are unknown");
  }
  return x;
}

}  // namespace rebasin::zoo
