// CLIP and SigLIP: an encoder of texts and one of images, whose results are
// compared. Their embeddings are outputs, so their units stay.

#include <cmath>

#include "zoo/families/bert_heads.h"
#include "zoo/families/encoder.h"
#include "zoo/families/family.h"
#include "zoo/families/patches.h"

namespace rebasin::zoo {
namespace {

// One of the two encoders: its part of the config, and its names.
struct Tower {
  FamilyConfig config;
  std::string name;  // "text_model."
  int64_t width = 0;
  NormStyle norm = {};
};

Tower MakeTower(FamilyConfig config, const std::string& name, double epsilon) {
  const int64_t width = config.Size({"hidden_size"});
  const NormStyle norm{.epsilon = config.Number({"layer_norm_eps"}, epsilon)};
  return {std::move(config), name, width, norm};
}

ValueId Encoded(Net& net, const Tower& tower, ValueId x, ValueId mask,
                const std::string& activation) {
  Net part{.g = net.g, .config = tower.config, .weights = net.weights};
  EncoderBlock block{.norms_in_front = true, .norm = tower.norm};
  block.attention = UsualAttention(part, tower.width);
  block.attention.SetBias(true, true);
  block.attention.out = "out_proj";
  block.self_attention = "self_attn";
  block.feed_forward = "mlp";
  block.norm_1 = "layer_norm1";
  block.norm_2 = "layer_norm2";
  block.mlp = {.hidden = tower.config.Size({"intermediate_size"}),
               .activation = tower.config.Word({"hidden_act"}, activation),
               .gated = false,
               .bias = true,
               .up = "fc1",
               .down = "fc2"};
  const std::string name = tower.name + "encoder.layers";
  const int64_t layers = LayerCount(part, {"num_hidden_layers"}, name);
  for (int64_t layer = 0; layer < layers; ++layer) {
    x = AddEncoderBlock(part, name + "." + std::to_string(layer), x, block,
                        mask);
  }
  return x;
}

// [batch, position, width] and the tokens.
struct Texts {
  ValueId tokens, x;
};

Texts EncodedTexts(Net& net, const Tower& tower, bool causal,
                   const std::string& activation) {
  GraphBuilder& g = net.g;
  const std::string name = tower.name + "embeddings.";
  const ValueId tokens = SequenceInput(g);
  const ValueId words =
      Embedding(g, name + "token_embedding", tokens,
                tower.config.Size({"vocab_size"}), tower.width);
  const ValueId places =
      Embedding(g, name + "position_embedding", PositionIds(g, 0),
                tower.config.Size({"max_position_embeddings"}), tower.width);
  const ValueId mask = causal ? CausalMask(g, kSequence, 0) : kNoValue;
  const ValueId x =
      Encoded(net, tower, Plus(g, words, places), mask, activation);
  return {tokens,
          Normalized(g, tower.name + "final_layer_norm", x, tower.norm)};
}

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
  const ValueId here = g.Add("Cast", {g.Add("Equal", {at, PositionIds(g, 0)})},
                             {{"to", int64_t{1}}});
  const ValueId weights = g.Add("Unsqueeze", {here, g.Ints({2})});
  return g.Add("ReduceSum", {Times(g, texts.x, weights), g.Ints({1})},
               {{"keepdims", int64_t{0}}});
}

// Divides by the length of each vector.
ValueId OfUnitLength(GraphBuilder& g, ValueId x) {
  return g.Add("LpNormalization", {x},
               {{"axis", int64_t{-1}}, {"p", int64_t{2}}});
}

// [text, image]: products of the embeddings, scaled.
ValueId Similarities(Net& net, ValueId texts, ValueId images,
                     const Shape& scale) {
  GraphBuilder& g = net.g;
  g.SetScope("logits");
  const ValueId products =
      g.Add("MatMul", {texts, Transpose(g, images, {1, 0})});
  return Times(g, products,
               g.Add("Exp", {g.Weight(net.outer + "logit_scale", scale)}));
}

struct Images {
  ValueId x, pooled;
};

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
  x = Encoded(net, tower, x, kNoValue, "quick_gelu");
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

// SigLIP's images: a learned query looks at all patches. Its layer is one of
// PyTorch, with other names.
ValueId AttentionPooled(Net& net, const Tower& tower, ValueId x) {
  GraphBuilder& g = net.g;
  const std::string name = tower.name + "head.";
  const int64_t width = tower.width;
  const int64_t heads = tower.config.Size({"num_attention_heads"});
  const int64_t size = width / heads;
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
  x = Encoded(net, tower, x, kNoValue, "gelu_pytorch_tanh");
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

std::vector<Family> ClipFamilies() {
  const std::string text = "embeddings.token_embedding.weight";
  const std::string image = "embeddings.patch_embedding.weight";
  return {{"clip", "CLIP", "text_model.", text, BuildClip},
          {"clip_text_model", "CLIP's text encoder", "text_model.", text,
           BuildClipText},
          {"clip_vision_model", "CLIP's image encoder", "vision_model.", image,
           BuildClipVision},
          {"siglip", "SigLIP", "text_model.", text, BuildSiglip},
          {"siglip_vision_model", "SigLIP's image encoder", "vision_model.",
           image, BuildSiglipVision}};
}

}  // namespace rebasin::zoo
