// ViT, DeiT and BEiT with the names of Hugging Face.

#include "zoo/families/bert_heads.h"
#include "zoo/families/encoder.h"
#include "zoo/families/family.h"
#include "zoo/families/heads.h"
#include "zoo/families/patches.h"

namespace rebasin::zoo {
namespace {

EncoderBlock VitBlock(const Net& net) {
  EncoderBlock block = BertBlock(net);
  block.norms_in_front = true;
  block.attention.q = "attention.query";
  block.attention.k = "attention.key";
  block.attention.v = "attention.value";
  block.attention.SetBias(net.config.Flag({"qkv_bias"}, true), true);
  block.norm_1 = "layernorm_before";
  block.norm_2 = "layernorm_after";
  return block;
}

ValueId Embedded(Net& net, const std::vector<std::string>& tokens,
                 const ImageSizes& sizes, bool positions) {
  GraphBuilder& g = net.g;
  const int64_t width = net.config.Size({"hidden_size"});
  const std::string name = net.base + "embeddings.";
  ValueId x = Patches(g, name + "patch_embeddings.projection",
                      PixelInput(g, sizes), sizes, width);
  std::vector<std::string> names;
  for (const std::string& token : tokens) names.push_back(name + token);
  x = WithTokens(g, names, {1, 1, width}, x);
  if (!positions) return x;
  const auto count = sizes.patches() + static_cast<int64_t>(tokens.size());
  return Plus(g, x, g.Weight(name + "position_embeddings", {1, count, width}));
}

ValueId Encoded(Net& net, ValueId x) {
  const EncoderBlock block = VitBlock(net);
  const std::string name = net.base + "encoder.layer";
  const int64_t layers = LayerCount(net, {"num_hidden_layers"}, name);
  for (int64_t layer = 0; layer < layers; ++layer) {
    x = AddEncoderBlock(net, name + "." + std::to_string(layer), x, block);
  }
  return Normalized(net.g, net.base + "layernorm", x, block.norm);
}

ValueId Pooled(Net& net, ValueId x) {
  const std::string name = net.base + "pooler.dense";
  if (!net.Has(name + ".weight")) return kNoValue;
  const int64_t width =
      net.config.Size({"pooler_output_size"}, net.g.shape(x).back());
  return Activated(net, net.config.Word({"pooler_act"}, "tanh"),
                   Linear(net.g, name, FirstPosition(net.g, x), width));
}

void BuildVit(Net& net) {
  const ImageSizes sizes = ReadImageSizes(net.config);
  const ValueId x =
      Encoded(net, Embedded(net, {"cls_token"}, sizes, /*positions=*/true));
  const ValueId first = FirstPosition(net.g, x);
  if (AddClasses(net, net.outer + "classifier", first)) return;
  AddBaseOutputs(net, x, Pooled(net, x));
}

void BuildDeit(Net& net) {
  GraphBuilder& g = net.g;
  const ImageSizes sizes = ReadImageSizes(net.config);
  const ValueId x =
      Encoded(net, Embedded(net, {"cls_token", "distillation_token"}, sizes,
                            /*positions=*/true));
  const ValueId first = FirstPosition(g, x);
  if (AddClasses(net, net.outer + "classifier", first)) return;
  if (AddClasses(net, net.outer + "cls_classifier", first, "cls_logits")) {
    const ValueId second =
        g.Add("Gather", {x, g.Int(1)}, {{"axis", int64_t{1}}});
    AddClasses(net, net.outer + "distillation_classifier", second,
               "distillation_logits");
    return;
  }
  AddBaseOutputs(net, x, Pooled(net, x));
}

// The row of the table of distances for each pair of positions; the first
// position is the class token, which has rows of its own.
std::vector<int64_t> DistanceRows(int64_t across) {
  const int64_t side = 2 * across - 1, rows = side * side + 3;
  const int64_t count = across * across + 1;
  std::vector<int64_t> found;
  for (int64_t from = 0; from < count; ++from) {
    for (int64_t to = 0; to < count; ++to) {
      const int64_t down = (from - 1) / across - (to - 1) / across;
      const int64_t right = (from - 1) % across - (to - 1) % across;
      found.push_back(from == 0 && to == 0 ? rows - 1
                      : to == 0            ? rows - 2
                      : from == 0
                          ? rows - 3
                          : (down + across - 1) * side + right + across - 1);
    }
  }
  return found;
}

// [heads, position, position]: what a table of distances adds to the scores.
ValueId DistanceBias(Net& net, const std::string& module, int64_t heads,
                     int64_t across) {
  GraphBuilder& g = net.g;
  const std::string name = module + ".relative_position_bias_table";
  g.SetScope(name);
  const int64_t side = 2 * across - 1, count = across * across + 1;
  const ValueId table = g.Weight(name, {side * side + 3, heads});
  const ValueId rows = g.Add("Gather", {table, g.Ints(DistanceRows(across))},
                             {{"axis", int64_t{0}}});
  return Transpose(g, Reshape(g, rows, {count, count, heads}), {2, 0, 1});
}

EncoderBlock BeitBlock(const Net& net) {
  EncoderBlock block = VitBlock(net);
  block.attention.k_bias = false;
  if (net.config.Number({"layer_scale_init_value"}, 0.1) > 0) {
    block.gain_1 = "lambda_1";
    block.gain_2 = "lambda_2";
  }
  return block;
}

ValueId EncodedWithDistances(Net& net, ValueId x, const ImageSizes& sizes) {
  const FamilyConfig& config = net.config;
  const EncoderBlock block = BeitBlock(net);
  const std::string name = net.base + "encoder.";
  const int64_t layers = LayerCount(net, {"num_hidden_layers"}, name + "layer");
  const auto bias = [&](const std::string& module) {
    return DistanceBias(net, module + "relative_position_bias",
                        block.attention.heads, sizes.across());
  };
  const bool own = config.Flag({"use_relative_position_bias"}, false);
  const bool shared = config.Flag({"use_shared_relative_position_bias"}, false);
  if (own && shared) config.Refuse("two tables of distances are unknown");
  ValueId mask = shared ? bias(name) : kNoValue;
  for (int64_t layer = 0; layer < layers; ++layer) {
    const std::string part = name + "layer." + std::to_string(layer);
    if (own) mask = bias(part + ".attention.attention.");
    x = AddEncoderBlock(net, part, x, block, mask);
  }
  return x;
}

ValueId MeanOfPatches(GraphBuilder& g, ValueId x) {
  const ValueId patches = Slice(g, x, 1, 1, g.shape(x)[1]);
  return g.Add("ReduceMean", {patches, g.Ints({1})},
               {{"keepdims", int64_t{0}}});
}

void BuildBeit(Net& net) {
  const FamilyConfig& config = net.config;
  const ImageSizes sizes = ReadImageSizes(config);
  if (sizes.across() > 64) config.Refuse("images have more than 4096 patches");
  const bool positions =
      config.Flag({"use_absolute_position_embeddings"}, false);
  const NormStyle norm{.epsilon = config.Number({"layer_norm_eps"}, 1e-12)};
  ValueId x = EncodedWithDistances(
      net, Embedded(net, {"cls_token"}, sizes, positions), sizes);
  const bool mean = config.Flag({"use_mean_pooling"}, true);
  if (!mean) x = Normalized(net.g, net.base + "layernorm", x, norm);
  const std::string pooler = net.base + "pooler.layernorm";
  ValueId pooled = kNoValue;
  if (!mean) {
    pooled = FirstPosition(net.g, x);
  } else if (net.Has(pooler + ".weight")) {
    pooled = Normalized(net.g, pooler, MeanOfPatches(net.g, x), norm);
  }
  if (pooled != kNoValue && AddClasses(net, net.outer + "classifier", pooled)) {
    return;
  }
  AddBaseOutputs(net, x, pooled);
}

}  // namespace

std::vector<Family> VisionFamilies() {
  const std::string patches = "embeddings.patch_embeddings.projection.weight";
  return {{"vit", "ViT", "vit.", patches, BuildVit},
          {"deit", "DeiT", "deit.", patches, BuildDeit},
          {"beit", "BEiT", "beit.", patches, BuildBeit}};
}

}  // namespace rebasin::zoo
