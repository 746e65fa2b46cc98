// The vision transformer (Dosovitskiy et al., 2020), as torchvision builds and
// names it.

#include <cmath>

#include "zoo/architecture.h"
#include "zoo/attention.h"
#include "zoo/layers.h"

namespace rebasin::zoo {
namespace {

constexpr double kEpsilon = 1e-6;
constexpr int64_t kHeadSize = 64;
constexpr char kLayers[] = "encoder.layers.encoder_layer_";

std::string LayerName(int64_t layer) { return kLayers + std::to_string(layer); }

// [batch, position, width]: one position for each patch.
ValueId Patches(GraphBuilder& g, ValueId images, int64_t patch, int64_t width) {
  const ValueId x =
      Conv2d(g, "conv_proj", images, width,
             {.kernel = patch, .stride = patch, .padding = 0, .bias = true});
  return Transpose(g, Reshape(g, x, {0, width, -1}), {0, 2, 1});
}

// Adds the class token before the patches of each image in `x`.
ValueId WithClassToken(GraphBuilder& g, ValueId x) {
  g.SetScope("class_token");
  const int64_t width = g.shape(x).back();
  const ValueId batch =
      g.Add("Shape", {x}, {{"start", int64_t{0}}, {"end", int64_t{1}}});
  const ValueId sizes = Concat(g, {batch, g.Ints({1, width})}, 0);
  const ValueId token =
      g.Add("Expand", {g.Weight("class_token", {1, 1, width}), sizes});
  return Concat(g, {token, x}, 1);
}

ValueId WithPositions(GraphBuilder& g, ValueId x) {
  g.SetScope("encoder");
  const Shape& shape = g.shape(x);
  const Shape sizes = {1, shape[1], shape[2]};
  return Plus(g, x, g.Weight("encoder.pos_embedding", sizes));
}

// torch's MultiheadAttention, which has different names.
ValueId SelfAttention(GraphBuilder& g, const std::string& name, ValueId x,
                      int64_t heads) {
  g.SetScope(name);
  const int64_t width = g.shape(x).back();
  const ValueId in = g.Weight(name + ".in_proj_weight", {3 * width, width});
  const ValueId bias = g.Weight(name + ".in_proj_bias", {3 * width});
  const ValueId product = g.Add("MatMul", {x, Transpose(g, in, {1, 0})});
  const ValueId mixed = AttendPacked(g, Plus(g, product, bias), heads);
  return Linear(g, name + ".out_proj", mixed, width);
}

ValueId Block(GraphBuilder& g, const Settings& settings,
              const std::string& name, ValueId x) {
  const bool linear = settings.Is("names", "linear");
  const std::string up = name + (linear ? ".mlp.linear_1" : ".mlp.0");
  const std::string down = name + (linear ? ".mlp.linear_2" : ".mlp.3");
  const int64_t heads = HeadsOf(settings, kHeadSize);
  ValueId y = LayerNorm(g, name + ".ln_1", x, kEpsilon);
  x = Plus(g, x, SelfAttention(g, name + ".self_attention", y, heads));
  y = LayerNorm(g, name + ".ln_2", x, kEpsilon);
  y = Gelu(g, Linear(g, up, y, settings.Int("mlp")));
  return Plus(g, x, Linear(g, down, y, settings.Int("width")));
}

void BuildVit(GraphBuilder& g, const Settings& settings) {
  const int64_t image = settings.Int("image"), patch = settings.Int("patch");
  if (image % patch != 0) {
    throw settings.Bad("images of " + std::to_string(image) +
                       " pixels do not split into patches of " +
                       std::to_string(patch));
  }
  ValueId x = ImageInput(g, image);
  x = WithClassToken(g, Patches(g, x, patch, settings.Int("width")));
  x = WithPositions(g, x);
  for (int64_t layer = 0; layer < settings.Int("depth"); ++layer) {
    x = Block(g, settings, LayerName(layer), x);
  }
  x = LayerNorm(g, "encoder.ln", x, kEpsilon);
  const ValueId first = g.Add("Gather", {x, g.Int(0)}, {{"axis", int64_t{1}}});
  g.Output(Linear(g, "heads.head", first, settings.Int("classes")), "output");
}

Findings FitVit(const Clues& clues) {
  const int64_t width = clues.Size("conv_proj.weight", 0);
  const int64_t patch = clues.Size("conv_proj.weight", 2);
  // One for each patch, and the class token.
  const int64_t positions = clues.Size("encoder.pos_embedding", 1);
  const int64_t across =
      std::lround(std::sqrt(static_cast<double>(positions - 1)));
  const std::string mlp = LayerName(0) + ".mlp.";
  const bool linear = clues.Has(mlp + "linear_1.weight");
  return {{"depth", clues.Count(kLayers, ".ln_1.weight")},
          {"width", width},
          {"mlp", clues.Size(mlp + (linear ? "linear_1.bias" : "0.bias"), 0)},
          {"patch", patch},
          {"image", patch * across},
          {"classes", clues.Size("heads.head.weight", 0)},
          {"names", linear ? "linear" : "index"}};
}

// Queries, keys and values of all heads are one tensor.
std::vector<Findings> ChoicesOfVit(const Clues& clues) {
  return HeadChoices(clues.Size("conv_proj.weight", 0));
}

}  // namespace

std::vector<Architecture> VitArchitectures() {
  return {
      {.entry = {"vit",
                 "vision transformer, by default torchvision's vit_b_16",
                 {Number("depth", 12, 1, 1000, "blocks"),
                  Number("width", 768, 1, 65536, "of the residual stream"),
                  Heads(), Number("mlp", 3072, 1, 1000000, "hidden units"),
                  Number("patch", 16, 1, 256, "pixels on the side of a patch"),
                  Number("image", 224, 1, 4096, "pixels on the side of inputs"),
                  Classes(1000),
                  Choice("names", {"index", "linear"},
                         "of the MLP: mlp.0 and mlp.3, or linear_1 and _2 as "
                         "in torchvision's files")}},
       .build = BuildVit,
       .fit = FitVit,
       .choices = ChoicesOfVit,
       .resolve = [](Settings& s) { ResolveHeads(s, kHeadSize); },
       .config_keys = {{"num_attention_heads", "heads"},
                       {"num_heads", "heads"},
                       {"hidden_size", "width"},
                       {"hidden_dim", "width"},
                       {"num_hidden_layers", "depth"},
                       {"num_layers", "depth"},
                       {"intermediate_size", "mlp"},
                       {"mlp_dim", "mlp"}},
       .config_types = {"vit"}}};
}

}  // namespace rebasin::zoo
