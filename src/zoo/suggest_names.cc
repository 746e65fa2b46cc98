#include "zoo/suggest_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "zoo/recognise.h"

namespace rebasin::zoo {
namespace {

// With more layers, no order is searched.
constexpr size_t kMaxInChain = 200;
constexpr int kMaxSteps = 10000;

// Names of tensors within layers, in the order in which they are paired.
constexpr std::array<std::string_view, 6> kRoles = {
    "weight", "w", "bias", "b", "running_mean", "running_var"};

struct Member {
  std::string name;
  std::string role;  // in lower case
  Shape shape;
};

struct Layer {
  std::string name;
  std::vector<Member> members;
};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return lower;
}

// Splits a name: "encoder.0.weight" is the weight of "encoder.0", "W_2" that of
// "2".
std::pair<std::string, std::string> LayerAndRole(const std::string& name) {
  const size_t dot = name.find_last_of('.');
  if (dot != std::string::npos) {
    return {name.substr(0, dot), Lower(name.substr(dot + 1))};
  }
  for (const std::string_view role : kRoles) {
    const std::string lower = Lower(name);
    if (!lower.starts_with(role)) continue;
    const size_t rest = lower.find_first_not_of('_', role.size());
    return {rest == std::string::npos ? "" : lower.substr(rest),
            std::string(role)};
  }
  return {name, ""};
}

size_t RankOf(const std::string& role) {
  return static_cast<size_t>(std::find(kRoles.begin(), kRoles.end(), role) -
                             kRoles.begin());
}

// Compares runs of digits as numbers: "layer2" comes before "layer10".
bool NaturallyBefore(std::string_view x, std::string_view y) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  while (!x.empty() && !y.empty()) {
    if (!is_digit(x[0]) || !is_digit(y[0])) {
      if (x[0] != y[0]) return x[0] < y[0];
      x.remove_prefix(1);
      y.remove_prefix(1);
      continue;
    }
    x.remove_prefix(std::min(x.find_first_not_of('0'), x.size()));
    y.remove_prefix(std::min(y.find_first_not_of('0'), y.size()));
    const auto end_x = std::find_if_not(x.begin(), x.end(), is_digit);
    const auto end_y = std::find_if_not(y.begin(), y.end(), is_digit);
    const std::string_view digits_x(x.begin(), end_x),
        digits_y(y.begin(), end_y);
    if (digits_x.size() != digits_y.size()) {
      return digits_x.size() < digits_y.size();
    }
    if (digits_x != digits_y) return digits_x < digits_y;
    x.remove_prefix(digits_x.size());
    y.remove_prefix(digits_y.size());
  }
  return x.size() < y.size();
}

// Collects layers in the order of their first appearance.
class Layers {
 public:
  void Add(const std::string& name, const Shape& shape) {
    const auto [layer, role] = LayerAndRole(name);
    const auto [at, is_new] = index_.emplace(layer, layers_.size());
    if (is_new) layers_.push_back({layer, {}});
    layers_[at->second].members.push_back({name, role, shape});
  }
  std::vector<Layer> Take() {
    for (Layer& layer : layers_) {
      std::stable_sort(layer.members.begin(), layer.members.end(),
                       [](const Member& x, const Member& y) {
                         return RankOf(x.role) < RankOf(y.role);
                       });
    }
    return std::move(layers_);
  }

 private:
  std::map<std::string, size_t> index_;
  std::vector<Layer> layers_;
};

std::vector<Layer> LayersOf(const Graph& graph) {
  Layers layers;
  for (const ValueId id : graph.weights()) {
    const Value& weight = graph.values()[static_cast<size_t>(id)];
    layers.Add(weight.name, weight.shape);
  }
  return layers.Take();
}

// The layers in natural order. Integers such as counters are skipped.
std::vector<Layer> LayersOf(const Checkpoint& model) {
  Layers layers;
  for (const Tensor& tensor : model.tensors()) {
    if (IsArithmetic(tensor.dtype)) layers.Add(tensor.name, tensor.shape);
  }
  std::vector<Layer> found = layers.Take();
  std::sort(found.begin(), found.end(), [](const Layer& x, const Layer& y) {
    return NaturallyBefore(x.name, y.name);
  });
  return found;
}

// Orders dense layers so that the output of each fits the input of the next;
// takes the first such order by name.
class ChainSearch {
 public:
  explicit ChainSearch(const std::vector<Layer>& layers)
      : layers_(layers), used_(layers.size(), false) {}

  // Empty if there is no such order, or the search takes too long.
  std::vector<Layer> Run() {
    const bool dense = std::all_of(
        layers_.begin(), layers_.end(),
        [](const Layer& layer) { return layer.members[0].shape.size() == 2; });
    if (!dense || layers_.size() > kMaxInChain || !Extend()) return {};
    std::vector<Layer> chain;
    for (const size_t at : order_) chain.push_back(layers_[at]);
    return chain;
  }

 private:
  bool Fits(size_t next) const {
    if (used_[next]) return false;
    if (order_.empty()) return true;
    return layers_[order_.back()].members[0].shape[0] ==
           layers_[next].members[0].shape[1];
  }

  bool Extend() {
    if (order_.size() == layers_.size()) return true;
    for (size_t next = 0; next < layers_.size(); ++next) {
      if (!Fits(next)) continue;
      if (++steps_ > kMaxSteps) return false;
      used_[next] = true;
      order_.push_back(next);
      if (Extend()) return true;
      order_.pop_back();
      used_[next] = false;
    }
    return false;
  }

  const std::vector<Layer>& layers_;
  std::vector<bool> used_;
  std::vector<size_t> order_;
  int steps_ = 0;
};

// Returns nothing if the options exclude each other.
std::optional<std::vector<Layer>> LayersWith(const Architecture& architecture,
                                             const Findings& options) {
  Settings settings(architecture.entry);
  try {
    for (const Finding& f : options) settings.Set(f.option, f.value);
    return LayersOf(BuildGraph(architecture, settings));
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Sets the depth, if the architecture has this option, so that it has this
// number of layers: the depth follows from the number of layers that each unit
// of depth adds.
Findings WithDepth(const Architecture& architecture, Findings options,
                   size_t layers) {
  const auto count = [&](int64_t depth) -> int64_t {
    Findings all = options;
    all.emplace_back("depth", depth);
    const auto found = LayersWith(architecture, all);
    return found ? static_cast<int64_t>(found->size()) : 0;
  };
  const auto& known = architecture.entry.options;
  const bool has_depth =
      std::any_of(known.begin(), known.end(),
                  [](const ZooOption& o) { return o.name == "depth"; });
  if (!has_depth) return options;
  const int64_t one = count(1), step = count(2) - one;
  const int64_t missing = static_cast<int64_t>(layers) - one;
  if (step > 0 && missing >= 0 && missing % step == 0) {
    options.emplace_back("depth", 1 + missing / step);
  }
  return options;
}

// The defaults, and each choice that differs from one of them.
std::vector<Findings> Variants(const Architecture& architecture) {
  std::vector<Findings> variants = {{}};
  for (const ZooOption& option : architecture.entry.options) {
    for (const std::string& choice : option.choices) {
      if (choice != option.default_value) {
        variants.push_back({{option.name, choice}});
      }
    }
  }
  return variants;
}

using Renames = std::vector<std::pair<std::string, std::string>>;

// Returns nothing if one layer has more tensors than the other.
std::optional<Renames> Paired(std::span<const Layer> from,
                              std::span<const Layer> to) {
  if (from.size() != to.size()) return std::nullopt;
  Renames renames;
  for (size_t l = 0; l < from.size(); ++l) {
    if (from[l].members.size() != to[l].members.size()) return std::nullopt;
    for (size_t m = 0; m < from[l].members.size(); ++m) {
      renames.emplace_back(from[l].members[m].name, to[l].members[m].name);
    }
  }
  return renames;
}

// Returns nothing if a new name is already in use.
std::optional<Checkpoint> Renamed(const Checkpoint& model,
                                  const Renames& renames) {
  const std::map<std::string, std::string> names(renames.begin(),
                                                 renames.end());
  std::vector<Tensor> tensors;
  for (Tensor tensor : model.tensors()) {
    const auto found = names.find(tensor.name);
    if (found != names.end()) tensor.name = found->second;
    tensors.push_back(std::move(tensor));
  }
  try {
    return Checkpoint(std::move(tensors));
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<NameSuggestion> SuggestNames(
    const Checkpoint& model, std::span<const Architecture> architectures) {
  const std::vector<Layer> natural = LayersOf(model);
  if (natural.empty()) return std::nullopt;
  const std::vector<Layer> chain = ChainSearch(natural).Run();
  for (const Architecture& architecture : architectures) {
    for (const Findings& variant : Variants(architecture)) {
      const auto layers = LayersWith(
          architecture, WithDepth(architecture, variant, natural.size()));
      if (!layers) continue;
      for (const auto* order : {&natural, &chain}) {
        const auto renames = Paired(*order, *layers);
        if (!renames) continue;
        const auto renamed = Renamed(model, *renames);
        if (!renamed) continue;
        const auto text = FitExactly(architecture, *renamed);
        if (text) return NameSuggestion{*text, *renames};
      }
    }
  }
  return std::nullopt;
}

}  // namespace rebasin::zoo

namespace rebasin {

std::optional<NameSuggestion> SuggestNames(const Checkpoint& model) {
  return zoo::SuggestNames(model, zoo::AllArchitectures());
}

}  // namespace rebasin
