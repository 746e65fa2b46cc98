#include "zoo/families/bert_heads.h"

#include "zoo/clues.h"
#include "zoo/families/encoder.h"
#include "zoo/families/heads.h"

namespace rebasin::zoo {
namespace {

// The bias of the tokens has one name or two.
ValueId TokenBias(Net& net, const TokenHead& head) {
  const std::string inner = head.decoder + ".bias";
  if (head.bias.empty() || !net.Has(head.bias)) {
    return net.g.Weight(inner, {head.vocab});
  }
  if (Clues(net.weights).AreEqual(inner, head.bias)) {
    net.ties.emplace_back(inner, head.bias);
  }
  return net.g.Weight(head.bias, {head.vocab});
}

}  // namespace

bool AddTokenHead(Net& net, ValueId x, const TokenHead& head) {
  if (!net.Has(head.dense + ".weight")) return false;
  GraphBuilder& g = net.g;
  const ValueId dense = Linear(g, head.dense, x, head.width);
  const ValueId y = Normalized(
      g, head.norm, Activated(net, head.activation, dense), head.style);
  const bool tied = IsTied(net, head.decoder, head.embedding, true);
  const ValueId logits = Linear(g, tied ? head.embedding : head.decoder, y,
                                head.vocab, /*bias=*/false);
  g.Output(Plus(g, logits, TokenBias(net, head)), "token_logits");
  return true;
}

bool AddTwoLayers(Net& net, const std::string& first, const std::string& second,
                  const std::string& activation, ValueId x) {
  if (!net.Has(first + ".weight") || !net.Has(second + ".weight")) return false;
  const int64_t width = net.g.shape(x).back();
  const ValueId y = Activated(
      net, activation, Linear(net.g, first, FirstPosition(net.g, x), width));
  return AddClasses(net, second, y);
}

bool AddUsualHeads(Net& net, ValueId x, ValueId pooled) {
  const ValueId seen = pooled == kNoValue ? x : pooled;
  const bool classes = AddClasses(net, net.outer + "classifier", seen);
  return AddClasses(net, net.outer + "qa_outputs", x, "span_logits") || classes;
}

void AddBaseOutputs(Net& net, ValueId x, ValueId pooled) {
  net.g.Output(x, "last_hidden_state");
  if (pooled != kNoValue) net.g.Output(pooled, "pooler_output");
}

}  // namespace rebasin::zoo
