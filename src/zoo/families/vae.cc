// The encoder and decoder of latent diffusion (AutoencoderKL of diffusers).

#include "zoo/families/attention.h"
#include "zoo/families/diffusion.h"
#include "zoo/families/family.h"

namespace rebasin::zoo {
namespace {

// One head over all channels, on the smallest image.
ValueId Attended(Net& net, const std::string& name, ValueId x,
                 const ImageNorm& norm) {
  GraphBuilder& g = net.g;
  const int64_t channels = g.shape(x)[1], across = g.shape(x)[2];
  AttentionStyle style;
  style.heads = style.kv_heads = 1;
  style.size = channels;
  style.SetBias(true, true);
  style.q = "to_q";
  style.k = "to_k";
  style.v = "to_v";
  style.out = "to_out.0";
  const ValueId y =
      AsSequence(g, GroupNormed(g, name + ".group_norm", x, norm));
  return Plus(g, x,
              AsImage(g, SelfAttention(net, name, y, style, kNoValue), across));
}

ValueId Middle(Net& net, const std::string& name, ValueId x,
               const ImageNorm& norm) {
  const int64_t channels = net.g.shape(x)[1];
  x = ResidualBlock(net, name + ".resnets.0", x, channels, kNoValue, norm);
  if (net.config.Flag({"mid_block_add_attention"}, true)) {
    x = Attended(net, name + ".attentions.0", x, norm);
  }
  return ResidualBlock(net, name + ".resnets.1", x, channels, kNoValue, norm);
}

// `layers` residual blocks.
ValueId Stage(Net& net, const std::string& name, ValueId x, int64_t channels,
              int64_t layers, const ImageNorm& norm) {
  for (int64_t layer = 0; layer < layers; ++layer) {
    x = ResidualBlock(net, name + ".resnets." + std::to_string(layer), x,
                      channels, kNoValue, norm);
  }
  return x;
}

// Halves the image; one row and column of zeros at the end.
ValueId Downsampled(GraphBuilder& g, const std::string& name, ValueId x) {
  g.SetScope(name);
  const ValueId padded =
      g.Add("Pad", {x, g.Ints({0, 0, 0, 0, 0, 0, 1, 1}), g.Float(0)});
  return Conv2d(g, name + ".conv", padded, g.shape(x)[1],
                {.stride = 2, .padding = 0, .bias = true});
}

struct VaeStyle {
  std::vector<int64_t> channels;
  int64_t layers = 1, latent = 4;
  ImageNorm norm = {};
};

VaeStyle ReadStyle(const Net& net) {
  const FamilyConfig& config = net.config;
  VaeStyle style{.channels = config.Sizes({"block_out_channels"}),
                 .layers = config.Size({"layers_per_block"}, 1),
                 .latent = config.Size({"latent_channels"}, 4)};
  style.norm.groups = config.Size({"norm_num_groups"}, 32);
  for (const char* key : {"down_block_types", "up_block_types"}) {
    for (const std::string& type : config.Words({key})) {
      if (type == "DownEncoderBlock2D" || type == "UpDecoderBlock2D") continue;
      config.Refuse("blocks of the kind " + Quoted(type) + " are unknown");
    }
  }
  if (style.channels.size() > 8) config.Refuse("there are more than 8 stages");
  CheckLayerCount(net, static_cast<int64_t>(style.channels.size()),
                  net.base + "encoder.down_blocks", "stages");
  CheckLayerCount(net, style.layers, net.base + "encoder.down_blocks.0.resnets",
                  "blocks");
  return style;
}

ValueId Finished(GraphBuilder& g, const std::string& name, ValueId x,
                 int64_t outputs, const ImageNorm& norm) {
  x = Silu(g, GroupNormed(g, name + "conv_norm_out", x, norm));
  return Conv2d(g, name + "conv_out", x, outputs, {.bias = true});
}

// Mean and logarithm of the variance of the latent values.
ValueId Encoded(Net& net, ValueId x, const VaeStyle& style) {
  GraphBuilder& g = net.g;
  const std::string name = net.base + "encoder.";
  x = Conv2d(g, name + "conv_in", x, style.channels[0], {.bias = true});
  for (size_t s = 0; s < style.channels.size(); ++s) {
    const std::string stage = name + "down_blocks." + std::to_string(s);
    x = Stage(net, stage, x, style.channels[s], style.layers, style.norm);
    if (s + 1 < style.channels.size()) {
      x = Downsampled(g, stage + ".downsamplers.0", x);
    }
  }
  x = Middle(net, name + "mid_block", x, style.norm);
  x = Finished(g, name, x, 2 * style.latent, style.norm);
  if (!net.config.Flag({"use_quant_conv"}, true)) return x;
  return Conv2d(g, net.base + "quant_conv", x, 2 * style.latent,
                {.kernel = 1, .padding = 0, .bias = true});
}

ValueId Decoded(Net& net, ValueId x, const VaeStyle& style) {
  GraphBuilder& g = net.g;
  const std::string name = net.base + "decoder.";
  if (net.config.Flag({"use_post_quant_conv"}, true)) {
    x = Conv2d(g, net.base + "post_quant_conv", x, style.latent,
               {.kernel = 1, .padding = 0, .bias = true});
  }
  x = Conv2d(g, name + "conv_in", x, style.channels.back(), {.bias = true});
  x = Middle(net, name + "mid_block", x, style.norm);
  const size_t stages = style.channels.size();
  for (size_t s = 0; s < stages; ++s) {
    const std::string stage = name + "up_blocks." + std::to_string(s);
    x = Stage(net, stage, x, style.channels[stages - 1 - s], style.layers + 1,
              style.norm);
    if (s + 1 < stages) x = Upsampled(g, stage + ".upsamplers.0", x);
  }
  return Finished(g, name, x, net.config.Size({"out_channels"}, 3), style.norm);
}

// The decoder's result for the mean of what the encoder gives, and that.
void BuildVae(Net& net) {
  GraphBuilder& g = net.g;
  const VaeStyle style = ReadStyle(net);
  const int64_t size = int64_t{4} << (style.channels.size() - 1);
  const ValueId image =
      SquareInput(g, "sample", net.config.Size({"in_channels"}, 3), size);
  const ValueId moments = Encoded(net, image, style);
  const ValueId mean = Slice(g, moments, 1, 0, style.latent);
  g.Output(Decoded(net, mean, style), "sample_out");
  g.Output(moments, "moments");
}

}  // namespace

std::vector<Family> VaeFamilies() {
  return {{"AutoencoderKL", "diffusers: the VAE of Stable Diffusion", "",
           "decoder.conv_in.weight", BuildVae}};
}

}  // namespace rebasin::zoo
