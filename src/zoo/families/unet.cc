// The UNet of Stable Diffusion 1, 2 and XL (UNet2DConditionModel of
// diffusers): residual blocks and transformers over an image that shrinks and
// grows; what shrinks is kept for what grows.

#include "zoo/families/attention.h"
#include "zoo/families/diffusion.h"
#include "zoo/families/family.h"
#include "zoo/families/time_embedding.h"

namespace rebasin::zoo {
namespace {

struct UnetStyle {
  std::vector<int64_t> channels, heads, depths;
  int64_t layers = 2;
  bool linear = false;
  ImageNorm norm = {};
};

// One number for each stage, or one for all.
std::vector<int64_t> ForStages(const FamilyConfig& config, Keys keys,
                               int64_t fallback, size_t stages) {
  if (config.HasList(keys)) {
    const std::vector<int64_t> sizes = config.Sizes(keys);
    if (sizes.size() == stages) return sizes;
    config.Fail(Quoted(*keys.begin()) + " must have a number for each of " +
                std::to_string(stages) + " stages");
  }
  return std::vector<int64_t>(stages, config.Size(keys, fallback));
}

// Settings that change the network and are not built here.
void RefuseOthers(const FamilyConfig& config) {
  for (const std::string_view key :
       {"class_embed_type", "encoder_hid_dim_type", "time_cond_proj_dim",
        "num_class_embeds", "timestep_post_act", "time_embedding_act_fn",
        "reverse_transformer_layers_per_block", "time_embedding_dim"}) {
    if (config.Has({key})) config.Refuse(Quoted(key) + " is unknown");
  }
  for (const std::string_view key :
       {"dual_cross_attention", "resnet_skip_time_act",
        "class_embeddings_concat", "only_cross_attention"}) {
    if (config.Flag({key}, false)) config.Refuse(Quoted(key) + " is unknown");
  }
  if (config.Word({"resnet_time_scale_shift"}, "default") != "default") {
    config.Refuse("\"resnet_time_scale_shift\" is unknown");
  }
}

UnetStyle ReadStyle(const Net& net) {
  const FamilyConfig& config = net.config;
  RefuseOthers(config);
  UnetStyle style;
  style.channels = config.Sizes({"block_out_channels"});
  style.layers = config.Size({"layers_per_block"}, 2);
  style.linear = config.Flag({"use_linear_projection"}, false);
  const size_t stages = style.channels.size();
  if (stages > 8) config.Refuse("there are more than 8 stages");
  // Its number of heads has this name for historical reasons.
  style.heads = ForStages(config, {"num_attention_heads", "attention_head_dim"},
                          8, stages);
  style.depths = ForStages(config, {"transformer_layers_per_block"}, 1, stages);
  style.norm = {.groups = config.Size({"norm_num_groups"}, 32),
                .epsilon = config.Number({"norm_eps"}, 1e-5)};
  CheckLayerCount(net, static_cast<int64_t>(stages), net.base + "down_blocks",
                  "stages");
  CheckLayerCount(net, style.layers, net.base + "down_blocks.0.resnets",
                  "blocks");
  return style;
}

class Unet {
 public:
  explicit Unet(Net& net) : net_(net), g_(net.g), style_(ReadStyle(net)) {}

  void Build() {
    const FamilyConfig& config = net_.config;
    const size_t stages = style_.channels.size();
    x_ = SquareInput(g_, "sample", config.Size({"in_channels"}, 4),
                     int64_t{2} << (stages - 1));
    time_ = TimeEmbedding(net_, style_.channels[0]);
    texts_ = g_.Input(
        "encoder_hidden_states",
        {kOpenSize, kSequence, config.Size({"cross_attention_dim"}, 1280)},
        Kind::kFloat, {"batch"});
    x_ = Conv2d(g_, net_.base + "conv_in", x_, style_.channels[0],
                {.bias = true});
    kept_.push_back(x_);
    const auto down = config.Words({"down_block_types"});
    const auto up = config.Words({"up_block_types"});
    if (down.size() != stages || up.size() != stages) {
      config.Fail(
          "\"down_block_types\" and \"up_block_types\" must have a "
          "kind for each stage");
    }
    for (size_t s = 0; s < stages; ++s) AddDown(s, down[s]);
    AddMiddle();
    for (size_t s = 0; s < stages; ++s) AddUp(s, up[s]);
    x_ =
        Silu(g_, GroupNormed(g_, net_.base + "conv_norm_out", x_, style_.norm));
    g_.Output(Conv2d(g_, net_.base + "conv_out", x_,
                     config.Size({"out_channels"}, 4), {.bias = true}),
              "sample_out");
  }

 private:
  // Whether blocks of this kind have transformers.
  bool Attends(const std::string& type) const {
    if (type.starts_with("CrossAttn") && type.ends_with("Block2D")) return true;
    if (type == "DownBlock2D" || type == "UpBlock2D") return false;
    net_.config.Refuse("blocks of the kind " + Quoted(type) + " are unknown");
  }

  void AddResidual(const std::string& name, int64_t channels) {
    x_ = ResidualBlock(net_, name, x_, channels, time_, style_.norm);
  }

  void AddDown(size_t s, const std::string& type) {
    const std::string name = net_.base + "down_blocks." + std::to_string(s);
    const bool attends = Attends(type);
    for (int64_t layer = 0; layer < style_.layers; ++layer) {
      const std::string at = "." + std::to_string(layer);
      AddResidual(name + ".resnets" + at, style_.channels[s]);
      if (attends) AddTransformer(name + ".attentions" + at, s);
      kept_.push_back(x_);
    }
    if (s + 1 == style_.channels.size()) return;
    x_ = Conv2d(g_, name + ".downsamplers.0.conv", x_, style_.channels[s],
                {.stride = 2, .padding = 1, .bias = true});
    kept_.push_back(x_);
  }

  void AddMiddle() {
    const std::string name = net_.base + "mid_block";
    const size_t last = style_.channels.size() - 1;
    AddResidual(name + ".resnets.0", style_.channels[last]);
    AddTransformer(name + ".attentions.0", last);
    AddResidual(name + ".resnets.1", style_.channels[last]);
  }

  void AddUp(size_t s, const std::string& type) {
    const std::string name = net_.base + "up_blocks." + std::to_string(s);
    const size_t stage = style_.channels.size() - 1 - s;
    const bool attends = Attends(type);
    for (int64_t layer = 0; layer <= style_.layers; ++layer) {
      const std::string at = "." + std::to_string(layer);
      x_ = Concat(g_, {x_, kept_.back()}, 1);
      kept_.pop_back();
      AddResidual(name + ".resnets" + at, style_.channels[stage]);
      if (attends) AddTransformer(name + ".attentions" + at, stage);
    }
    if (stage > 0) x_ = Upsampled(g_, name + ".upsamplers.0", x_);
  }

  void AddTransformer(const std::string& name, size_t stage) {
    const ValueId before = x_;
    const int64_t channels = g_.shape(x_)[1], across = g_.shape(x_)[2];
    const auto project = [&](const std::string& which, ValueId x) {
      return style_.linear ? Linear(g_, name + which, x, channels)
                           : Conv2d(g_, name + which, x, channels,
                                    {.kernel = 1, .padding = 0, .bias = true});
    };
    ValueId x = GroupNormed(g_, name + ".norm", x_,
                            {.groups = style_.norm.groups, .epsilon = 1e-6});
    x = style_.linear ? project(".proj_in", AsSequence(g_, x))
                      : AsSequence(g_, project(".proj_in", x));
    const std::string blocks = name + ".transformer_blocks";
    CheckLayerCount(net_, style_.depths[stage], blocks, "transformer blocks");
    for (int64_t block = 0; block < style_.depths[stage]; ++block) {
      x = TransformerBlock(blocks + "." + std::to_string(block), x, stage);
    }
    x = style_.linear ? AsImage(g_, project(".proj_out", x), across)
                      : project(".proj_out", AsImage(g_, x, across));
    x_ = Plus(g_, before, x);
  }

  ValueId TransformerBlock(const std::string& name, ValueId x, size_t stage) {
    const int64_t channels = g_.shape(x).back();
    AttentionStyle style;
    style.heads = style.kv_heads = style_.heads[stage];
    style.size = net_.config.Share(channels, style.heads, "channels by heads");
    style.SetBias(false, true);
    style.q = "to_q";
    style.k = "to_k";
    style.v = "to_v";
    style.out = "to_out.0";
    const auto normal = [&](const char* which) {
      return LayerNorm(g_, name + which, x);
    };
    x = Plus(g_, x,
             SelfAttention(net_, name + ".attn1", normal(".norm1"), style,
                           kNoValue));
    x = Plus(
        g_, x,
        CrossAttention(net_, name + ".attn2", normal(".norm2"), texts_, style));
    return Plus(g_, x, FeedForward(name + ".ff.net", normal(".norm3")));
  }

  // Values, and gates behind them.
  ValueId FeedForward(const std::string& name, ValueId x) {
    const int64_t width = g_.shape(x).back(), hidden = 4 * width;
    const ValueId both = Linear(g_, name + ".0.proj", x, 2 * hidden);
    const auto parts = g_.AddMany("Split", {both, g_.Ints({hidden, hidden})},
                                  {{"axis", int64_t{-1}}}, 2);
    return Linear(g_, name + ".2", Times(g_, parts[0], Gelu(g_, parts[1])),
                  width);
  }

  Net& net_;
  GraphBuilder& g_;
  const UnetStyle style_;
  ValueId x_ = kNoValue, time_ = kNoValue, texts_ = kNoValue;
  std::vector<ValueId> kept_;  // for the way up
};

}  // namespace

std::vector<Family> UnetFamilies() {
  return {{"UNet2DConditionModel",
           "diffusers: the UNet of Stable Diffusion 1, 2 and XL", "",
           "time_embedding.linear_1.weight",
           [](Net& net) { Unet(net).Build(); }}};
}

}  // namespace rebasin::zoo
