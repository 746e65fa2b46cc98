// Llama (Touvron et al., 2023) with the names of Hugging Face: RMS norms,
// rotary positions, grouped queries, a gated MLP, no biases.

#include <algorithm>
#include <cmath>

#include "zoo/architecture.h"
#include "zoo/attention.h"
#include "zoo/layers.h"

namespace rebasin::zoo {
namespace {

constexpr char kLayers[] = "model.layers.";
constexpr char kTable[] = ".rotary_emb.inv_freq";
constexpr char kEmbedding[] = "model.embed_tokens";
constexpr char kHead[] = "lm_head";

std::string LayerName(int64_t layer) { return kLayers + std::to_string(layer); }

// Models up to 2048 wide have heads of 64, wider ones of 128.
int64_t UsualHeadSize(int64_t width) { return width <= 2048 ? 64 : 128; }

struct Shared {  // shared by all layers
  int64_t heads, kv_heads, head_size, mlp;
  ValueId mask, cosines, sines;
};

ValueId Dense(GraphBuilder& g, const std::string& name, ValueId x,
              int64_t outputs) {
  return Linear(g, name, x, outputs, /*bias=*/false);
}

// [position, size]: `function` of the angle of each position and pair of units.
// Unit i is paired with unit i + size / 2.
ValueId AngleTable(GraphBuilder& g, int64_t sequence, int64_t size,
                   double theta, double (*function)(double)) {
  const double pairs = static_cast<double>(size) / 2;
  std::vector<double> table;
  for (int64_t position = 0; position < sequence; ++position) {
    for (int64_t unit = 0; unit < size; ++unit) {
      const double pair = static_cast<double>(unit % (size / 2));
      const double speed = std::pow(theta, -pair / pairs);
      table.push_back(function(static_cast<double>(position) * speed));
    }
  }
  return g.Constant(
      MakeArray(Kind::kFloat, {sequence, size}, std::move(table)));
}

// Rotates each pair: (x, y) becomes (x cos - y sin, y cos + x sin).
ValueId Rotated(GraphBuilder& g, ValueId x, const Shared& shared) {
  const int64_t size = g.shape(x).back();
  const ValueId first = Slice(g, x, 3, 0, size / 2);
  const ValueId second = Slice(g, x, 3, size / 2, size);
  const ValueId turned = Concat(g, {g.Add("Neg", {second}), first}, 3);
  return Plus(g, Times(g, x, shared.cosines), Times(g, turned, shared.sines));
}

// Repeats each head for all of its queries.
ValueId Repeated(GraphBuilder& g, ValueId x, int64_t times) {
  if (times == 1) return x;
  const Shape shape = g.shape(x);
  const ValueId spread = g.Add("Unsqueeze", {x, g.Ints({2})});
  const ValueId copies = g.Add("Expand", {spread, g.Ints({1, 1, times, 1, 1})});
  return Reshape(g, copies, {0, shape[1] * times, shape[2], shape[3]});
}

ValueId Attention(GraphBuilder& g, const std::string& name, ValueId x,
                  const Shared& shared) {
  const int64_t width = g.shape(x).back();
  const int64_t q_width = shared.head_size * shared.heads;
  const int64_t kv_width = shared.head_size * shared.kv_heads;
  const int64_t times = shared.heads / shared.kv_heads;
  const auto heads = [&](const char* projection, int64_t outputs, int64_t n) {
    return SplitHeads(g, Dense(g, name + projection, x, outputs), n);
  };
  const ValueId q = heads(".q_proj", q_width, shared.heads);
  const ValueId k = heads(".k_proj", kv_width, shared.kv_heads);
  const ValueId v = heads(".v_proj", kv_width, shared.kv_heads);
  const ValueId mixed = Attend(g, Rotated(g, q, shared),
                               Repeated(g, Rotated(g, k, shared), times),
                               Repeated(g, v, times), shared.mask);
  return Dense(g, name + ".o_proj", mixed, width);
}

ValueId Mlp(GraphBuilder& g, const std::string& name, ValueId x,
            int64_t hidden) {
  const ValueId gate = Silu(g, Dense(g, name + ".gate_proj", x, hidden));
  const ValueId up = Dense(g, name + ".up_proj", x, hidden);
  return Dense(g, name + ".down_proj", Times(g, gate, up), g.shape(x).back());
}

ValueId Block(GraphBuilder& g, const std::string& name, ValueId x,
              const Shared& shared) {
  ValueId y = RmsNorm(g, name + ".input_layernorm", x);
  x = Plus(g, x, Attention(g, name + ".self_attn", y, shared));
  y = RmsNorm(g, name + ".post_attention_layernorm", x);
  return Plus(g, x, Mlp(g, name + ".mlp", y, shared.mlp));
}

void ResolveLlama(Settings& settings) {
  // A head size other than width / heads must be given together with the
  // number.
  if (settings.Int("head_dim") == 0) {
    ResolveHeads(settings, UsualHeadSize(settings.Int("width")));
  } else if (settings.Int("heads") == 0) {
    throw settings.Bad("head_dim needs heads=...");
  }
  if (settings.Int("kv_heads") == 0) {
    settings.Set("kv_heads", settings.Text("heads"));
  }
}

Shared MakeShared(GraphBuilder& g, Settings settings) {
  ResolveLlama(settings);
  const int64_t width = settings.Int("width");
  const int64_t sequence = settings.Int("sequence");
  const double theta = static_cast<double>(settings.Int("theta"));
  const int64_t heads = settings.Int("heads");
  const int64_t kv_heads = settings.Int("kv_heads");
  const int64_t head_dim = settings.Int("head_dim");
  const int64_t size = head_dim == 0 ? width / heads : head_dim;
  if (heads % kv_heads != 0) throw settings.Bad("kv_heads must divide heads");
  if (size % 2 != 0) throw settings.Bad("heads must be of even size");
  return {.heads = heads,
          .kv_heads = kv_heads,
          .head_size = size,
          .mlp = settings.Int("mlp"),
          .mask = CausalMask(g, sequence),
          .cosines = AngleTable(g, sequence, size, theta, std::cos),
          .sines = AngleTable(g, sequence, size, theta, std::sin)};
}

void BuildLlama(GraphBuilder& g, const Settings& settings) {
  const int64_t vocab = settings.Int("vocab");
  const ValueId tokens = TokenInput(g, settings.Int("sequence"));
  const Shared shared = MakeShared(g, settings);
  ValueId x = Embedding(g, kEmbedding, tokens, vocab, settings.Int("width"));
  for (int64_t layer = 0; layer < settings.Int("depth"); ++layer) {
    x = Block(g, LayerName(layer), x, shared);
  }
  x = RmsNorm(g, "model.norm", x);
  const bool tie = settings.Is("tie", "true");
  g.Output(Dense(g, tie ? kEmbedding : kHead, x, vocab), "output");
}

Findings FitLlama(const Clues& clues) {
  const std::string embedding = std::string(kEmbedding) + ".weight";
  const std::string head = std::string(kHead) + ".weight";
  return {{"depth", clues.Count(kLayers, ".input_layernorm.weight")},
          {"width", clues.Size(embedding, 1)},
          {"mlp", clues.Size(LayerName(0) + ".mlp.up_proj.weight", 0)},
          {"vocab", clues.Size(embedding, 0)},
          {"tie", !clues.Has(head) || clues.AreEqual(head, embedding)}};
}

// The head size that a table of rotations shows; 0 if there is none.
int64_t SizeByTable(const Clues& clues) {
  const int64_t of_layer = clues.Size(LayerName(0) + ".self_attn" + kTable, 0);
  const int64_t of_model = clues.Size(std::string("model") + kTable, 0);
  return 2 * std::max(of_layer, of_model);
}

// Rotations pair units, so head sizes are even; each key has the same number of
// queries.
std::vector<Findings> ChoicesOfLlama(const Clues& clues) {
  const std::string attention = LayerName(0) + ".self_attn.";
  const int64_t width = clues.Size(std::string(kEmbedding) + ".weight", 1);
  const int64_t q = clues.Size(attention + "q_proj.weight", 0);
  const int64_t k = clues.Size(attention + "k_proj.weight", 0);
  const int64_t known = SizeByTable(clues);
  std::vector<Findings> choices;
  for (int64_t heads = 1; heads <= std::min(q, kMaxHeads); ++heads) {
    const int64_t size = q / heads;
    if (q % heads != 0 || size % 2 != 0 || (known > 0 && size != known) ||
        k == 0 || k % size != 0 || q % k != 0) {
      continue;
    }
    choices.push_back({{"heads", heads}, {"kv_heads", k / size}});
    if (q != width) choices.back().emplace_back("head_dim", size);
  }
  return choices;
}

std::vector<std::pair<std::string, std::string>> StoredTies(
    const Settings& settings) {
  if (settings.Is("tie", "false")) return {};
  return {
      {std::string(kHead) + ".weight", std::string(kEmbedding) + ".weight"}};
}

// Files of older releases contain the frequencies of the rotations.
bool IsTable(const Tensor& tensor) { return tensor.name.ends_with(kTable); }

}  // namespace

std::vector<Architecture> LlamaArchitectures() {
  return {{.entry = {"llama",
                     "Llama, by default Llama 2 7B, as by Hugging Face",
                     {Number("depth", 32, 1, 1000, "blocks"),
                      Number("width", 4096, 1, 65536, "of the residual stream"),
                      Heads(),
                      Number("kv_heads", 0, 0, 1024,
                             "heads of keys and values; 0: as many as heads"),
                      Number("head_dim", 0, 0, 65536,
                             "size of a head; 0: width / heads"),
                      Number("mlp", 11008, 1, 1000000, "hidden units"),
                      Number("vocab", 32000, 1, 10000000, "tokens"),
                      Flag("tie", "the embedding makes the logits, too"),
                      Number("theta", 10000, 1, 1000000000, "rotary base"),
                      Sequence()}},
           .build = BuildLlama,
           .fit = FitLlama,
           .is_buffer = IsTable,
           .choices = ChoicesOfLlama,
           .resolve = ResolveLlama,
           .stored_ties = StoredTies,
           .config_keys = {{"num_attention_heads", "heads"},
                           {"num_key_value_heads", "kv_heads"},
                           {"head_dim", "head_dim"},
                           {"hidden_size", "width"},
                           {"num_hidden_layers", "depth"},
                           {"intermediate_size", "mlp"},
                           {"rope_theta", "theta"},
                           {"tie_word_embeddings", "tie"}},
           .config_types = {"llama", "mistral"}}};
}

}  // namespace rebasin::zoo
