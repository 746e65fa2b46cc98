// BERT (MiniLM and most sentence encoders have the same), RoBERTa, ELECTRA and
// DistilBERT.

#include "zoo/families/bert_heads.h"
#include "zoo/families/encoder.h"
#include "zoo/families/family.h"
#include "zoo/families/heads.h"

namespace rebasin::zoo {
namespace {

// Words, positions from `first` on, and types if there are any.
struct Embeddings {
  int64_t width = 0, vocab = 0, first = 0;
  bool types = true;
};

ValueId Embedded(Net& net, const Embeddings& e, const NormStyle& norm) {
  GraphBuilder& g = net.g;
  const std::string name = net.base + "embeddings.";
  const int64_t positions = net.config.Size({"max_position_embeddings"});
  const int64_t types = net.config.Integer({"type_vocab_size"}, 2);
  ValueId x = Embedding(g, name + "word_embeddings", SequenceInput(g), e.vocab,
                        e.width);
  if (e.types && types > 0) {
    const ValueId ids = SequenceInput(g, "token_type_ids");
    x = Plus(g, x,
             Embedding(g, name + "token_type_embeddings", ids, types, e.width));
  }
  x = Plus(g, x,
           Positions(net, name + "position_embeddings", positions, e.width,
                     e.first));
  return Normalized(g, name + "LayerNorm", x, norm);
}

ValueId Encoded(Net& net, ValueId x, const EncoderBlock& block,
                const std::string& layers, Keys count) {
  const std::string name = net.base + layers;
  const int64_t number = LayerCount(net, count, name);
  for (int64_t layer = 0; layer < number; ++layer) {
    x = AddEncoderBlock(net, name + "." + std::to_string(layer), x, block);
  }
  return x;
}

// tanh(dense(first position)), if the model has it.
ValueId Pooled(Net& net, const std::string& name, ValueId x) {
  if (!net.Has(name + ".weight")) return kNoValue;
  const ValueId first = FirstPosition(net.g, x);
  return net.g.Add("Tanh", {Linear(net.g, name, first, net.g.shape(x).back())});
}

void BuildBert(Net& net) {
  const FamilyConfig& config = net.config;
  const EncoderBlock block = BertBlock(net);
  const Embeddings sizes{.width = config.Size({"hidden_size"}),
                         .vocab = config.Size({"vocab_size"})};
  const ValueId x = Encoded(net, Embedded(net, sizes, block.norm), block,
                            "encoder.layer", {"num_hidden_layers"});
  const ValueId pooled = Pooled(net, net.base + "pooler.dense", x);
  const std::string cls = net.outer + "cls.";
  bool any = AddTokenHead(net, x,
                          {.dense = cls + "predictions.transform.dense",
                           .norm = cls + "predictions.transform.LayerNorm",
                           .decoder = cls + "predictions.decoder",
                           .bias = cls + "predictions.bias",
                           .activation = block.mlp.activation,
                           .style = block.norm,
                           .embedding = net.base + "embeddings.word_embeddings",
                           .width = sizes.width,
                           .vocab = sizes.vocab});
  if (pooled != kNoValue) {
    any |= AddClasses(net, cls + "seq_relationship", pooled, "next_logits");
  }
  if (!AddUsualHeads(net, x, pooled) && !any) AddBaseOutputs(net, x, pooled);
}

void BuildRoberta(Net& net) {
  const FamilyConfig& config = net.config;
  const EncoderBlock block = BertBlock(net);
  const Embeddings sizes{.width = config.Size({"hidden_size"}),
                         .vocab = config.Size({"vocab_size"}),
                         .first = config.Integer({"pad_token_id"}, 1) + 1};
  const ValueId x = Encoded(net, Embedded(net, sizes, block.norm), block,
                            "encoder.layer", {"num_hidden_layers"});
  const std::string head = net.outer + "lm_head.";
  const std::string classifier = net.outer + "classifier.";
  if (AddTokenHead(net, x,
                   {.dense = head + "dense",
                    .norm = head + "layer_norm",
                    .decoder = head + "decoder",
                    .bias = head + "bias",
                    .style = block.norm,
                    .embedding = net.base + "embeddings.word_embeddings",
                    .width = sizes.width,
                    .vocab = sizes.vocab}) ||
      AddTwoLayers(net, classifier + "dense", classifier + "out_proj", "tanh",
                   x)) {
    return;
  }
  if (AddUsualHeads(net, x, kNoValue)) return;
  AddBaseOutputs(net, x, Pooled(net, net.base + "pooler.dense", x));
}

// Each position of a text is judged: is it the original token?
bool AddDiscriminator(Net& net, ValueId x, const std::string& activation) {
  const std::string name = net.outer + "discriminator_predictions.";
  if (!net.Has(name + "dense.weight")) return false;
  const ValueId y = Linear(net.g, name + "dense", x, net.g.shape(x).back());
  return AddClasses(net, name + "dense_prediction",
                    Activated(net, activation, y));
}

void BuildElectra(Net& net) {
  const FamilyConfig& config = net.config;
  const EncoderBlock block = BertBlock(net);
  const int64_t width = config.Size({"hidden_size"});
  const Embeddings sizes{.width = config.Size({"embedding_size"}, width),
                         .vocab = config.Size({"vocab_size"})};
  ValueId x = Embedded(net, sizes, block.norm);
  if (sizes.width != width) {
    x = Linear(net.g, net.base + "embeddings_project", x, width);
  }
  x = Encoded(net, x, block, "encoder.layer", {"num_hidden_layers"});
  const std::string predictions = net.outer + "generator_predictions.";
  const std::string classifier = net.outer + "classifier.";
  if (AddDiscriminator(net, x, block.mlp.activation) ||
      AddTokenHead(net, x,
                   {.dense = predictions + "dense",
                    .norm = predictions + "LayerNorm",
                    .decoder = net.outer + "generator_lm_head",
                    .style = block.norm,
                    .embedding = net.base + "embeddings.word_embeddings",
                    .width = sizes.width,
                    .vocab = sizes.vocab}) ||
      AddTwoLayers(net, classifier + "dense", classifier + "out_proj", "gelu",
                   x) ||
      AddUsualHeads(net, x, kNoValue)) {
    return;
  }
  AddBaseOutputs(net, x, kNoValue);
}

EncoderBlock DistilBlock(const Net& net, int64_t width) {
  const FamilyConfig& config = net.config;
  EncoderBlock block;
  AttentionStyle& attention = block.attention;
  attention.heads = attention.kv_heads = config.Size({"n_heads"});
  attention.size =
      config.Share(width, attention.heads, "\"dim\" by \"n_heads\"");
  attention.SetBias(true, true);
  attention.q = "q_lin";
  attention.k = "k_lin";
  attention.v = "v_lin";
  attention.out = "out_lin";
  block.norm_1 = "sa_layer_norm";
  block.norm_2 = "output_layer_norm";
  block.feed_forward = "ffn";
  block.mlp = {.hidden = config.Size({"hidden_dim"}),
               .activation = config.Word({"activation"}, "gelu"),
               .gated = false,
               .bias = true,
               .up = "lin1",
               .down = "lin2"};
  return block;
}

void BuildDistilBert(Net& net) {
  const FamilyConfig& config = net.config;
  const int64_t width = config.Size({"dim"});
  const EncoderBlock block = DistilBlock(net, width);
  const Embeddings sizes{
      .width = width, .vocab = config.Size({"vocab_size"}), .types = false};
  const ValueId x = Encoded(net, Embedded(net, sizes, block.norm), block,
                            "transformer.layer", {"n_layers"});
  const std::string vocab = net.outer + "vocab_";
  if (AddTokenHead(net, x,
                   {.dense = vocab + "transform",
                    .norm = vocab + "layer_norm",
                    .decoder = vocab + "projector",
                    .activation = block.mlp.activation,
                    .style = block.norm,
                    .embedding = net.base + "embeddings.word_embeddings",
                    .width = width,
                    .vocab = sizes.vocab}) ||
      AddTwoLayers(net, net.outer + "pre_classifier", net.outer + "classifier",
                   "relu", x) ||
      AddUsualHeads(net, x, kNoValue)) {
    return;
  }
  AddBaseOutputs(net, x, kNoValue);
}

}  // namespace

std::vector<Family> BertFamilies() {
  const std::string table = "embeddings.word_embeddings.weight";
  return {{"bert", "BERT, MiniLM, most sentence encoders", "bert.", table,
           BuildBert},
          {"roberta", "RoBERTa", "roberta.", table, BuildRoberta},
          {"xlm-roberta", "XLM-RoBERTa", "roberta.", table, BuildRoberta},
          {"camembert", "CamemBERT", "roberta.", table, BuildRoberta},
          {"distilbert", "DistilBERT", "distilbert.", table, BuildDistilBert},
          {"electra", "ELECTRA", "electra.", table, BuildElectra}};
}

}  // namespace rebasin::zoo
