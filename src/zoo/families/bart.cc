// Encoders with decoders: BART and mBART for texts, Whisper for speech. The
// decoder's blocks have a second attention, over the encoder's results.

#include <cmath>

#include "zoo/families/encoder.h"
#include "zoo/families/family.h"
#include "zoo/families/heads.h"

namespace rebasin::zoo {
namespace {

// The encoder or the decoder.
struct Side {
  std::string name;
  int64_t layers = 0;
  EncoderBlock block = {};
};

// `which` is "encoder" or "decoder", which also starts the keys.
Side MakeSide(const Net& net, const std::string& which, int64_t width,
              bool norms_in_front) {
  const FamilyConfig& config = net.config;
  Side side{.name = net.base + which + "."};
  side.layers = LayerCount(net, {which + "_layers"}, side.name + "layers");
  EncoderBlock& block = side.block;
  block.norms_in_front = norms_in_front;
  block.norm.epsilon = 1e-5;
  AttentionStyle& attention = block.attention;
  const std::string heads = which + "_attention_heads";
  attention.heads = attention.kv_heads = config.Size({heads});
  attention.size =
      config.Share(width, attention.heads, "\"d_model\" by \"" + heads + "\"");
  attention.SetBias(true, true);
  attention.out = "out_proj";
  block.self_attention = "self_attn";
  block.norm_1 = "self_attn_layer_norm";
  block.norm_2 = "final_layer_norm";
  block.mlp = {.hidden = config.Size({which + "_ffn_dim"}),
               .activation = config.Word({"activation_function"}, "gelu"),
               .gated = false,
               .bias = true,
               .up = "fc1",
               .down = "fc2"};
  return side;
}

ValueId EncoderOutput(Net& net, const Side& side, ValueId x) {
  for (int64_t layer = 0; layer < side.layers; ++layer) {
    x = AddEncoderBlock(net, side.name + "layers." + std::to_string(layer), x,
                        side.block);
  }
  return x;
}

// Like an encoder's block, with a second attention in the middle.
ValueId DecoderBlock(Net& net, const std::string& name, ValueId x,
                     ValueId memory, const EncoderBlock& block, ValueId mask) {
  const auto apply = [&](const std::string& norm, auto part) {
    const auto normalized = [&](ValueId y) {
      return Normalized(net.g, name + "." + norm, y, block.norm);
    };
    x = block.norms_in_front ? Plus(net.g, x, part(normalized(x)))
                             : normalized(Plus(net.g, x, part(x)));
  };
  apply(block.norm_1, [&](ValueId y) {
    return SelfAttention(net, name + "." + block.self_attention, y,
                         block.attention, mask);
  });
  apply("encoder_attn_layer_norm", [&](ValueId y) {
    return CrossAttention(net, name + ".encoder_attn", y, memory,
                          block.attention);
  });
  apply(block.norm_2, [&](ValueId y) { return Mlp(net, name, y, block.mlp); });
  return x;
}

ValueId DecoderOutput(Net& net, const Side& side, ValueId x, ValueId memory) {
  const ValueId mask = CausalMask(net.g, kSequence, 0);
  for (int64_t layer = 0; layer < side.layers; ++layer) {
    x = DecoderBlock(net, side.name + "layers." + std::to_string(layer), x,
                     memory, side.block, mask);
  }
  return x;
}

// Words and positions, of which the first two are skipped.
ValueId BartEmbedded(Net& net, const Side& side, const std::string& input,
                     int64_t vocab, int64_t width) {
  GraphBuilder& g = net.g;
  const FamilyConfig& config = net.config;
  ValueId x =
      Embedding(g, net.base + "shared", SequenceInput(g, input), vocab, width);
  if (config.Flag({"scale_embedding"}, false)) {
    x = Scaled(g, x, std::sqrt(static_cast<double>(width)));
  }
  x = Plus(g, x,
           Positions(net, side.name + "embed_positions",
                     config.Size({"max_position_embeddings"}) + 2, width, 2));
  return Normalized(g, side.name + "layernorm_embedding", x, side.block.norm);
}

void AddBartHead(Net& net, ValueId x, int64_t vocab) {
  GraphBuilder& g = net.g;
  const std::string bias = net.outer + "final_logits_bias";
  if (!net.Has(bias)) {
    g.Output(x, "last_hidden_state");
    return;
  }
  const std::string shared = net.base + "shared";
  const bool tied = IsTied(net, net.outer + "lm_head", shared, true);
  const ValueId logits = Linear(g, tied ? shared : net.outer + "lm_head", x,
                                vocab, /*bias=*/false);
  g.Output(Plus(g, logits, g.Weight(bias, {1, vocab})), "logits");
}

// Copies of the embedding that some files store.
void RememberCopies(Net& net, const std::string& shared) {
  for (const char* copy : {"encoder.embed_tokens", "decoder.embed_tokens"}) {
    RememberCopy(net, net.base + copy, shared);
  }
}

void BuildBart(Net& net, bool norms_in_front) {
  const FamilyConfig& config = net.config;
  const int64_t width = config.Size({"d_model"});
  const int64_t vocab = config.Size({"vocab_size"});
  const Side encoder = MakeSide(net, "encoder", width, norms_in_front);
  const Side decoder = MakeSide(net, "decoder", width, norms_in_front);
  RememberCopies(net, net.base + "shared");
  const auto finished = [&](const Side& side, ValueId x) {
    return norms_in_front
               ? Normalized(net.g, side.name + "layer_norm", x, side.block.norm)
               : x;
  };
  const ValueId memory = finished(
      encoder,
      EncoderOutput(net, encoder,
                    BartEmbedded(net, encoder, "input_ids", vocab, width)));
  const ValueId x = finished(
      decoder, DecoderOutput(net, decoder,
                             BartEmbedded(net, decoder, "decoder_input_ids",
                                          vocab, width),
                             memory));
  AddBartHead(net, x, vocab);
}

ValueId Convolved(Net& net, const std::string& name, ValueId x, int64_t width,
                  int64_t stride) {
  GraphBuilder& g = net.g;
  g.SetScope(name);
  const ValueId weight = g.Weight(name + ".weight", {width, g.shape(x)[1], 3});
  return Gelu(g, g.Add("Conv", {x, weight, g.Weight(name + ".bias", {width})},
                       {{"kernel_shape", Shape{3}},
                        {"strides", Shape{stride}},
                        {"pads", Shape{1, 1}}}));
}

// Frames of a spectrum, two for each position. The table of positions is read
// as far as the input reaches.
ValueId SpeechEmbedded(Net& net, const Side& side, int64_t width) {
  GraphBuilder& g = net.g;
  const FamilyConfig& config = net.config;
  const ValueId frames =
      g.Input("input_features",
              {kOpenSize, config.Size({"num_mel_bins"}, 80), 2 * kSequence},
              Kind::kFloat, {"batch"});
  ValueId x = Convolved(net, side.name + "conv1", frames, width, 1);
  x = Convolved(net, side.name + "conv2", x, width, 2);
  return Plus(g, Transpose(g, x, {0, 2, 1}),
              Positions(net, side.name + "embed_positions",
                        config.Size({"max_source_positions"}, 1500), width));
}

ValueId TranscriptEmbedded(Net& net, const Side& side, int64_t vocab,
                           int64_t width) {
  GraphBuilder& g = net.g;
  const FamilyConfig& config = net.config;
  ValueId x = Embedding(g, side.name + "embed_tokens",
                        SequenceInput(g, "decoder_input_ids"), vocab, width);
  if (config.Flag({"scale_embedding"}, false)) {
    x = Scaled(g, x, std::sqrt(static_cast<double>(width)));
  }
  return Plus(g, x,
              Positions(net, side.name + "embed_positions",
                        config.Size({"max_target_positions"}, 448), width));
}

void BuildWhisper(Net& net) {
  GraphBuilder& g = net.g;
  const FamilyConfig& config = net.config;
  const int64_t width = config.Size({"d_model"});
  const int64_t vocab = config.Size({"vocab_size"});
  Side encoder = MakeSide(net, "encoder", width, /*norms_in_front=*/true);
  Side decoder = MakeSide(net, "decoder", width, /*norms_in_front=*/true);
  encoder.block.attention.k_bias = decoder.block.attention.k_bias = false;
  const auto finished = [&](const Side& side, ValueId x) {
    return Normalized(g, side.name + "layer_norm", x, side.block.norm);
  };
  const ValueId memory = finished(
      encoder,
      EncoderOutput(net, encoder, SpeechEmbedded(net, encoder, width)));
  const ValueId x = finished(
      decoder,
      DecoderOutput(net, decoder,
                    TranscriptEmbedded(net, decoder, vocab, width), memory));
  const std::string tokens = decoder.name + "embed_tokens";
  if (net.base == net.outer &&
      !net.IsArchitecture("ForConditionalGeneration")) {
    g.Output(x, "last_hidden_state");
    return;
  }
  const bool tied = IsTied(net, net.outer + "proj_out", tokens, true);
  g.Output(Linear(g, tied ? tokens : net.outer + "proj_out", x, vocab,
                  /*bias=*/false),
           "logits");
}

}  // namespace

std::vector<Family> BartFamilies() {
  return {
      {"bart", "BART", "model.", "shared.weight",
       [](Net& net) { BuildBart(net, /*norms_in_front=*/false); }},
      {"mbart", "mBART", "model.", "shared.weight",
       [](Net& net) { BuildBart(net, /*norms_in_front=*/true); }},
      {"whisper", "Whisper", "model.", "encoder.conv1.weight", BuildWhisper}};
}

}  // namespace rebasin::zoo
