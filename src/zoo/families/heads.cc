#include "zoo/families/heads.h"

#include "rebasin/error.h"
#include "zoo/clues.h"

namespace rebasin::zoo {
namespace {

// A model that was saved by itself has its head's names in front of none, so
// the config says whether there is one.
bool PredictsTokens(const Net& net) {
  return !net.base.empty() && net.base != net.outer
             ? true
             : net.IsArchitecture("ForCausalLM") ||
                   net.IsArchitecture("LMHeadModel");
}

}  // namespace

bool IsTied(Net& net, const std::string& name, const std::string& embedding,
            bool fallback) {
  if (!net.config.Flag({"tie_word_embeddings"}, fallback)) return false;
  RememberCopy(net, name, embedding);
  return true;
}

void RememberCopy(Net& net, const std::string& name,
                  const std::string& embedding) {
  const std::string copy = name + ".weight", table = embedding + ".weight";
  if (!net.Has(copy)) return;
  if (!Clues(net.weights).AreEqual(copy, table)) {
    throw Error(ErrorCode::kMismatch,
                "config.json says that " + Quoted(copy) + " is tied to " +
                    Quoted(table) + ", but the two differ",
                "correct config.json (\"tie_word_embeddings\"), or remove the "
                "tensor that is not used");
  }
  net.ties.emplace_back(copy, table);
}

bool AddClasses(Net& net, const std::string& name, ValueId x,
                const std::string& output) {
  const Tensor* weight = net.weights.Find(name + ".weight");
  if (weight == nullptr || weight->shape.size() != 2) return false;
  net.g.Output(
      Linear(net.g, name, x, weight->shape[0], net.Has(name + ".bias")),
      output);
  return true;
}

void AddDecoderHead(Net& net, ValueId x, const DecoderHead& head) {
  GraphBuilder& g = net.g;
  if (AddClasses(net, net.outer + "score", x)) return;
  if (!PredictsTokens(net)) {
    g.Output(x, "last_hidden_state");
    return;
  }
  const std::string own = net.outer + head.name;
  const bool tied = IsTied(net, own, head.embedding, head.tied);
  ValueId logits =
      Linear(g, tied ? head.embedding : own, x, head.vocab, /*bias=*/false);
  if (head.bias) {
    logits = Plus(g, logits, g.Weight(own + ".bias", {head.vocab}));
  }
  if (head.scale != 1) logits = Scaled(g, logits, head.scale);
  if (head.softcap > 0) {
    logits = Scaled(g, g.Add("Tanh", {Scaled(g, logits, 1 / head.softcap)}),
                    head.softcap);
  }
  g.Output(logits, "logits");
}

}  // namespace rebasin::zoo
