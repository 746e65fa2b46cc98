// SigLIP: as CLIP, with another end of both encoders.

#include <cmath>

#include "zoo/families/bert_heads.h"
#include "zoo/families/encoder.h"
#include "zoo/families/family.h"
#include "zoo/families/mlp.h"
#include "zoo/families/patches.h"
#include "zoo/families/towers.h"

namespace rebasin::zoo {
namespace {

// SigLIP's images: a learned query looks at all patches. Its layer is one of
// PyTorch, with other names.
ValueId AttentionPooled(Net& net, const Tower& tower, ValueId x) {
  GraphBuilder& g = net.g;
  const std::string name = tower.name + "head.";
  const int64_t width = tower.width;
  const int64_t heads = tower.config.Size({"num_attention_heads"});
  const int64_t size = tower.config.Share(
      width, heads, "\"hidden_size\" by \"num_attention_heads\"");
  g.SetScope(name + "attention");
  const auto parts = [&](const char* part, const Shape& shape) {
    return g.AddMany("Split",
                     {g.Weight(name + "attention." + part, shape),
                      g.Ints({width, width, width})},
                     {{"axis", int64_t{0}}}, 3);
  };
  const auto weights = parts("in_proj_weight", {3 * width, width});
  const auto biases = parts("in_proj_bias", {3 * width});
  const auto projected = [&](int part, ValueId from) {
    const ValueId y =
        Plus(g, g.Add("MatMul", {from, Transpose(g, weights[part], {1, 0})}),
             biases[part]);
    return Transpose(g, Reshape(g, y, {0, 0, heads, size}), {0, 2, 1, 3});
  };
  const ValueId probe = g.Weight(name + "probe", {1, 1, width});
  const ValueId q = projected(0, probe);
  const ValueId k = projected(1, x), v = projected(2, x);
  const ValueId scores =
      Scaled(g, g.Add("MatMul", {q, Transpose(g, k, {0, 1, 3, 2})}),
             1 / std::sqrt(static_cast<double>(size)));
  const ValueId mixed =
      g.Add("MatMul", {g.Add("Softmax", {scores}, {{"axis", int64_t{-1}}}), v});
  const ValueId joined =
      Reshape(g, Transpose(g, mixed, {0, 2, 1, 3}), {0, 0, width});
  const ValueId y = Linear(g, name + "attention.out_proj", joined, width);
  Net part{.g = g, .config = tower.config, .weights = net.weights};
  const ValueId z = Plus(
      g, y,
      Mlp(part, name + "mlp", Normalized(g, name + "layernorm", y, tower.norm),
          {.hidden = tower.config.Size({"intermediate_size"}),
           .activation = tower.config.Word({"hidden_act"}, "gelu_pytorch_tanh"),
           .gated = false,
           .bias = true,
           .up = "fc1",
           .down = "fc2"}));
  return FirstPosition(g, z);
}

Images SiglipImages(Net& net, const Tower& tower) {
  GraphBuilder& g = net.g;
  const std::string name = tower.name + "embeddings.";
  const ImageSizes sizes = ReadImageSizes(tower.config);
  ValueId x = Patches(g, name + "patch_embedding", PixelInput(g, sizes), sizes,
                      tower.width);
  x = Plus(g, x,
           g.Weight(name + "position_embedding.weight",
                    {sizes.patches(), tower.width}));
  x = EncodedByTower(net, tower, x, kNoValue, "gelu_pytorch_tanh");
  x = Normalized(g, tower.name + "post_layernorm", x, tower.norm);
  return {x, tower.config.Flag({"vision_use_head"}, true)
                 ? AttentionPooled(net, tower, x)
                 : kNoValue};
}

void BuildSiglip(Net& net) {
  GraphBuilder& g = net.g;
  const Tower text = MakeTower(net.config.Part({"text_config"}),
                               net.outer + "text_model.", 1e-6);
  const Tower vision = MakeTower(net.config.Part({"vision_config"}),
                                 net.outer + "vision_model.", 1e-6);
  const Texts texts =
      EncodedTexts(net, text, /*causal=*/false, "gelu_pytorch_tanh");
  const ValueId last =
      g.Add("Gather", {texts.x, g.Int(kSequence - 1)}, {{"axis", int64_t{1}}});
  const int64_t width = text.config.Size({"projection_size"}, text.width);
  const ValueId words =
      OfUnitLength(g, Linear(g, text.name + "head", last, width));
  const ValueId pictures = OfUnitLength(g, SiglipImages(net, vision).pooled);
  const ValueId logits = Plus(g, Similarities(net, words, pictures, {1}),
                              g.Weight(net.outer + "logit_bias", {1}));
  g.Output(logits, "logits_per_text");
  g.Output(words, "text_embeds");
  g.Output(pictures, "image_embeds");
}

void BuildSiglipVision(Net& net) {
  const Tower tower = MakeTower(net.config, net.base, 1e-6);
  const Images images = SiglipImages(net, tower);
  AddBaseOutputs(net, images.x, images.pooled);
}

}  // namespace

std::vector<Family> SiglipFamilies() {
  return {{"siglip", "SigLIP", "text_model.",
           "embeddings.token_embedding.weight", BuildSiglip},
          {"siglip_vision_model", "SigLIP's image encoder", "vision_model.",
           "embeddings.patch_embedding.weight", BuildSiglipVision}};
}

}  // namespace rebasin::zoo
