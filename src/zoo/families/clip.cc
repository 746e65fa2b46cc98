// CLIP: texts and images are compared. Their embeddings are outputs, so their
// units stay.

#include "zoo/families/bert_heads.h"
#include "zoo/families/encoder.h"
#include "zoo/families/family.h"
#include "zoo/families/patches.h"
#include "zoo/families/towers.h"

namespace rebasin::zoo {
namespace {

// The value at the end of each text: at the first end token, or, in the oldest
// models, at the largest one.
ValueId AtEnd(GraphBuilder& g, const Tower& tower, const Texts& texts) {
  const int64_t end = tower.config.Integer({"eos_token_id"}, 49407);
  const ValueId is_end =
      end == 2 ? texts.tokens
               : g.Add("Cast", {g.Add("Equal", {texts.tokens, g.Ints({end})})},
                       {{"to", int64_t{7}}});
  const ValueId at = g.Add("ArgMax", {is_end},
                           {{"axis", int64_t{1}}, {"keepdims", int64_t{1}}});
  const ValueId here = g.Add("Cast", {g.Add("Equal", {at, PositionIds(g)})},
                             {{"to", int64_t{1}}});
  const ValueId weights = g.Add("Unsqueeze", {here, g.Ints({2})});
  return g.Add("ReduceSum", {Times(g, texts.x, weights), g.Ints({1})},
               {{"keepdims", int64_t{0}}});
}

Images EncodedImages(Net& net, const Tower& tower) {
  GraphBuilder& g = net.g;
  const std::string name = tower.name + "embeddings.";
  const ImageSizes sizes = ReadImageSizes(tower.config);
  ValueId x = Patches(g, name + "patch_embedding", PixelInput(g, sizes), sizes,
                      tower.width, /*bias=*/false);
  x = WithTokens(g, {name + "class_embedding"}, {tower.width}, x);
  const int64_t positions = sizes.patches() + 1;
  x = Plus(
      g, x,
      g.Weight(name + "position_embedding.weight", {positions, tower.width}));
  x = Normalized(g, tower.name + "pre_layrnorm", x, tower.norm);
  x = EncodedByTower(net, tower, x, kNoValue, "quick_gelu");
  const ValueId pooled = Normalized(g, tower.name + "post_layernorm",
                                    FirstPosition(g, x), tower.norm);
  return {x, pooled};
}

void BuildClip(Net& net) {
  GraphBuilder& g = net.g;
  const std::string front = net.outer;
  const Tower text =
      MakeTower(net.config.Part({"text_config"}), front + "text_model.", 1e-5);
  const Tower vision = MakeTower(net.config.Part({"vision_config"}),
                                 front + "vision_model.", 1e-5);
  const int64_t width = net.config.Size({"projection_dim"}, 512);
  const Texts texts = EncodedTexts(net, text, /*causal=*/true, "quick_gelu");
  const auto project = [&](const char* name, ValueId x) {
    return OfUnitLength(g, Linear(g, front + name, x, width, /*bias=*/false));
  };
  const ValueId words = project("text_projection", AtEnd(g, text, texts));
  const ValueId pictures =
      project("visual_projection", EncodedImages(net, vision).pooled);
  g.Output(Similarities(net, words, pictures, {}), "logits_per_text");
  g.Output(words, "text_embeds");
  g.Output(pictures, "image_embeds");
}

// The text encoders of Stable Diffusion are such models.
void BuildClipText(Net& net) {
  GraphBuilder& g = net.g;
  const Tower tower = MakeTower(net.config, net.base, 1e-5);
  const Texts texts = EncodedTexts(net, tower, /*causal=*/true, "quick_gelu");
  const ValueId end = AtEnd(g, tower, texts);
  const std::string projection = net.outer + "text_projection";
  if (!net.Has(projection + ".weight")) {
    AddBaseOutputs(net, texts.x, end);
    return;
  }
  const int64_t width = net.config.Size({"projection_dim"}, 512);
  g.Output(Linear(g, projection, end, width, /*bias=*/false), "text_embeds");
  g.Output(texts.x, "last_hidden_state");
}

void BuildClipVision(Net& net) {
  GraphBuilder& g = net.g;
  const Tower tower = MakeTower(net.config, net.base, 1e-5);
  const Images images = EncodedImages(net, tower);
  const std::string projection = net.outer + "visual_projection";
  if (!net.Has(projection + ".weight")) {
    AddBaseOutputs(net, images.x, images.pooled);
    return;
  }
  const int64_t width = net.config.Size({"projection_dim"}, 512);
  g.Output(Linear(g, projection, images.pooled, width, /*bias=*/false),
           "image_embeds");
  g.Output(images.x, "last_hidden_state");
}

}  // namespace

std::vector<Family> ClipFamilies() {
  const std::string text = "embeddings.token_embedding.weight";
  const std::string image = "embeddings.patch_embedding.weight";
  return {{"clip", "CLIP", "text_model.", text, BuildClip},
          {"clip_text_model", "CLIP's text encoder", "text_model.", text,
           BuildClipText},
          {"clip_vision_model", "CLIP's image encoder", "vision_model.", image,
           BuildClipVision}};
}

}  // namespace rebasin::zoo
