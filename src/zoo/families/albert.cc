// ALBERT: as BERT, but the layers of a group are one layer.

#include "zoo/families/bert_heads.h"
#include "zoo/families/encoder.h"
#include "zoo/families/family.h"
#include "zoo/families/heads.h"

namespace rebasin::zoo {
namespace {

EncoderBlock AlbertBlock(const Net& net) {
  EncoderBlock block = BertBlock(net);
  block.attention.q = "query";
  block.attention.k = "key";
  block.attention.v = "value";
  block.attention.out = "dense";
  block.norm_1 = "attention.LayerNorm";
  block.norm_2 = "full_layer_layer_norm";
  block.mlp.activation = net.config.Word({"hidden_act"}, "gelu_new");
  block.mlp.up = "ffn";
  block.mlp.down = "ffn_output";
  return block;
}

ValueId Embedded(Net& net, int64_t vocab, int64_t width,
                 const NormStyle& norm) {
  GraphBuilder& g = net.g;
  const FamilyConfig& config = net.config;
  const std::string name = net.base + "embeddings.";
  const ValueId words =
      Embedding(g, name + "word_embeddings", SequenceInput(g), vocab, width);
  const ValueId types = Embedding(g, name + "token_type_embeddings",
                                  SequenceInput(g, "token_type_ids"),
                                  config.Size({"type_vocab_size"}, 2), width);
  const ValueId places =
      Positions(net, name + "position_embeddings",
                config.Size({"max_position_embeddings"}), width);
  return Normalized(g, name + "LayerNorm",
                    Plus(g, Plus(g, words, types), places), norm);
}

ValueId Encoded(Net& net, ValueId x, const EncoderBlock& block) {
  const FamilyConfig& config = net.config;
  const std::string name = net.base + "encoder.";
  const std::string groups = name + "albert_layer_groups";
  const int64_t layers = config.Size({"num_hidden_layers"});
  const int64_t count = config.Size({"num_hidden_groups"}, 1);
  const int64_t inner = config.Size({"inner_group_num"}, 1);
  CheckLayerCount(net, count, groups, "groups of layers");
  CheckLayerCount(net, inner, groups + ".0.albert_layers", "layers of a group");
  if (layers > 2000) config.Fail("\"num_hidden_layers\" must be at most 2000");
  x = Linear(net.g, name + "embedding_hidden_mapping_in", x,
             config.Size({"hidden_size"}));
  for (int64_t layer = 0; layer < layers; ++layer) {
    const std::string group =
        groups + "." + std::to_string(layer * count / layers);
    for (int64_t i = 0; i < inner; ++i) {
      x = AddEncoderBlock(net, group + ".albert_layers." + std::to_string(i), x,
                          block);
    }
  }
  return x;
}

void BuildAlbert(Net& net) {
  const FamilyConfig& config = net.config;
  const EncoderBlock block = AlbertBlock(net);
  const int64_t vocab = config.Size({"vocab_size"});
  const int64_t width = config.Size({"embedding_size"}, 128);
  const ValueId x =
      Encoded(net, Embedded(net, vocab, width, block.norm), block);
  const std::string predictions = net.outer + "predictions.";
  ValueId pooled = kNoValue;
  if (net.Has(net.base + "pooler.weight")) {
    pooled = net.g.Add(
        "Tanh", {Linear(net.g, net.base + "pooler", FirstPosition(net.g, x),
                        net.g.shape(x).back())});
  }
  bool any = AddTokenHead(net, x,
                          {.dense = predictions + "dense",
                           .norm = predictions + "LayerNorm",
                           .decoder = predictions + "decoder",
                           .bias = predictions + "bias",
                           .activation = block.mlp.activation,
                           .style = block.norm,
                           .embedding = net.base + "embeddings.word_embeddings",
                           .width = width,
                           .vocab = vocab});
  if (pooled != kNoValue) {
    any |= AddClasses(net, net.outer + "sop_classifier.classifier", pooled,
                      "order_logits");
  }
  if (!AddUsualHeads(net, x, pooled) && !any) AddBaseOutputs(net, x, pooled);
}

}  // namespace

std::vector<Family> AlbertFamilies() {
  return {{"albert", "ALBERT", "albert.", "embeddings.word_embeddings.weight",
           BuildAlbert}};
}

}  // namespace rebasin::zoo
