// GPT-2 (Radford et al., 2019) with the names of Hugging Face. The transposed
// embedding computes the logits, unless they have their own weights.

#include <numeric>

#include "zoo/architecture.h"
#include "zoo/attention.h"
#include "zoo/layers.h"

namespace rebasin::zoo {
namespace {

constexpr int64_t kHeadSize = 64;
constexpr char kHead[] = "lm_head";

// A dense layer whose weight is [inputs, outputs].
ValueId Conv1D(GraphBuilder& g, const std::string& name, ValueId x,
               int64_t outputs) {
  g.SetScope(name);
  const ValueId weight =
      g.Weight(name + ".weight", {g.shape(x).back(), outputs});
  return Plus(g, g.Add("MatMul", {x, weight}),
              g.Weight(name + ".bias", {outputs}));
}

ValueId Attention(GraphBuilder& g, const std::string& name, ValueId x,
                  int64_t heads, ValueId mask) {
  const int64_t width = g.shape(x).back();
  const ValueId qkv = Conv1D(g, name + ".c_attn", x, 3 * width);
  return Conv1D(g, name + ".c_proj", AttendPacked(g, qkv, heads, mask), width);
}

ValueId Mlp(GraphBuilder& g, const std::string& name, ValueId x) {
  const int64_t width = g.shape(x).back();
  const ValueId hidden = GeluTanh(g, Conv1D(g, name + ".c_fc", x, 4 * width));
  return Conv1D(g, name + ".c_proj", hidden, width);
}

ValueId Block(GraphBuilder& g, const std::string& name, ValueId x,
              int64_t heads, ValueId mask) {
  x = Plus(g, x,
           Attention(g, name + ".attn", LayerNorm(g, name + ".ln_1", x), heads,
                     mask));
  return Plus(g, x, Mlp(g, name + ".mlp", LayerNorm(g, name + ".ln_2", x)));
}

ValueId Positions(GraphBuilder& g, int64_t sequence) {
  std::vector<int64_t> positions(sequence);
  std::iota(positions.begin(), positions.end(), 0);
  return g.Ints(std::move(positions));
}

std::string Prefix(std::string_view names) {
  return names == "lm" ? "transformer." : "";
}

void BuildGpt2(GraphBuilder& g, const Settings& settings) {
  const std::string prefix = Prefix(settings.Text("names"));
  const int64_t width = settings.Int("width"), vocab = settings.Int("vocab");
  const int64_t sequence = settings.Int("sequence");
  const int64_t context = settings.Int("context");
  if (sequence > context) throw settings.Bad("sequence is more than context");
  const ValueId tokens = TokenInput(g, sequence);
  ValueId x = Plus(
      g, Embedding(g, prefix + "wte", tokens, vocab, width),
      Embedding(g, prefix + "wpe", Positions(g, sequence), context, width));
  const ValueId mask = CausalMask(g, sequence);
  for (int64_t layer = 0; layer < settings.Int("depth"); ++layer) {
    x = Block(g, prefix + "h." + std::to_string(layer), x,
              HeadsOf(settings, kHeadSize), mask);
  }
  x = LayerNorm(g, prefix + "ln_f", x);
  const std::string head = settings.Is("tie", "true") ? prefix + "wte" : kHead;
  g.Output(Linear(g, head, x, vocab, /*bias=*/false), "output");
}

std::string PrefixIn(const Clues& clues) {
  return Prefix(clues.Has("transformer.wte.weight") ? "lm" : "base");
}

Findings FitGpt2(const Clues& clues) {
  const std::string prefix = PrefixIn(clues);
  const std::string head = std::string(kHead) + ".weight";
  return {
      {"depth", clues.Count(prefix + "h.", ".ln_1.weight")},
      {"width", clues.Size(prefix + "wte.weight", 1)},
      {"vocab", clues.Size(prefix + "wte.weight", 0)},
      {"context", clues.Size(prefix + "wpe.weight", 0)},
      {"tie", !clues.Has(head) || clues.AreEqual(head, prefix + "wte.weight")},
      {"names", prefix.empty() ? "base" : "lm"}};
}

// Queries, keys and values of all heads are one tensor.
std::vector<Findings> ChoicesOfGpt2(const Clues& clues) {
  return HeadChoices(clues.Size(PrefixIn(clues) + "wte.weight", 1));
}

// Files of older releases contain the causal mask of every layer.
bool IsMask(const Tensor& tensor) {
  return tensor.name.ends_with(".attn.bias") ||
         tensor.name.ends_with(".attn.masked_bias");
}

std::vector<std::pair<std::string, std::string>> StoredTies(
    const Settings& settings) {
  if (settings.Is("tie", "false")) return {};
  return {{std::string(kHead) + ".weight",
           Prefix(settings.Text("names")) + "wte.weight"}};
}

}  // namespace

std::vector<Architecture> Gpt2Architectures() {
  return {{.entry = {"gpt2",
                     "GPT-2, by default the smallest, as by Hugging Face",
                     {Number("depth", 12, 1, 1000, "blocks"),
                      Number("width", 768, 1, 65536, "of the residual stream"),
                      Heads(), Number("vocab", 50257, 1, 10000000, "tokens"),
                      Number("context", 1024, 1, 1000000, "positions"),
                      Choice("tie", {"true", "false"},
                             "false: the logits have lm_head.weight"),
                      Choice("names", {"base", "lm"},
                             "h.0... or transformer.h.0..."),
                      Sequence()}},
           .build = BuildGpt2,
           .fit = FitGpt2,
           .is_buffer = IsMask,
           .choices = ChoicesOfGpt2,
           .resolve = [](Settings& s) { ResolveHeads(s, kHeadSize); },
           .stored_ties = StoredTies,
           .config_keys = {{"n_head", "heads"},
                           {"num_attention_heads", "heads"},
                           {"n_embd", "width"},
                           {"hidden_size", "width"},
                           {"n_layer", "depth"},
                           {"num_hidden_layers", "depth"},
                           {"tie_word_embeddings", "tie"}},
           .config_types = {"gpt2"}}};
}

}  // namespace rebasin::zoo
