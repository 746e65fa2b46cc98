// Infers the symmetry of a chain of dense layers from a checkpoint.
//
// A chain is an order of all weight matrices in which the input size of each
// layer is the output size of the one before. Numbered names (fc1, fc2;
// layers.0, layers.2) must come in ascending order. If more than one order
// remains, this throws an error instead of guessing.

#include <algorithm>

#include "rebasin/error.h"
#include "rebasin/symmetry.h"

namespace rebasin {
namespace {

// A name with its numbers replaced by a placeholder, and the numbers.
struct NumberedName {
  std::string pattern;
  std::vector<std::string> numbers;  // without leading zeros
};

NumberedName SplitNumbers(const std::string& name) {
  NumberedName split;
  bool inside = false;
  for (char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !inside) {
      split.pattern += '#';
      split.numbers.emplace_back();
    }
    if (!digit) split.pattern += c;
    if (digit && !(c == '0' && split.numbers.back().empty())) {
      split.numbers.back() += c;
    }
    inside = digit;
  }
  return split;
}

bool NumbersAscend(const NumberedName& x, const NumberedName& y) {
  for (size_t i = 0; i < x.numbers.size(); ++i) {
    const std::string &a = x.numbers[i], &b = y.numbers[i];
    if (a == b) continue;
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }
  return false;
}

struct Layer {
  std::string weight;  // tensor name
  std::string bias;    // empty if there is none
  int64_t outputs = 0, inputs = 0;
  NumberedName numbered;
};

[[noreturn]] void Fail(const std::string& what) {
  throw Error(ErrorCode::kMismatch,
              "not a plain chain of dense layers: " + what,
              "give a spec file with --spec");
}

std::string WithoutSuffix(const std::string& name, std::string_view suffix) {
  return name.substr(0, name.size() - suffix.size());
}

std::vector<Layer> CollectLayers(const Checkpoint& checkpoint) {
  std::vector<Layer> layers;
  for (const Tensor& tensor : checkpoint.tensors()) {
    if (!tensor.name.ends_with("weight") || tensor.shape.size() != 2) continue;
    const std::string stem = WithoutSuffix(tensor.name, "weight");
    const Tensor* bias = checkpoint.Find(stem + "bias");
    layers.push_back({.weight = tensor.name,
                      .bias = bias == nullptr ? "" : bias->name,
                      .outputs = tensor.shape[0],
                      .inputs = tensor.shape[1],
                      .numbered = SplitNumbers(tensor.name)});
    if (bias != nullptr && bias->shape != Shape{tensor.shape[0]}) {
      Fail("tensor " + Quoted(bias->name) + " is " + ShapeText(bias->shape) +
           ", expected " + ShapeText(Shape{tensor.shape[0]}));
    }
  }
  return layers;
}

void CheckNothingElse(const Checkpoint& checkpoint,
                      const std::vector<Layer>& layers) {
  for (const Tensor& tensor : checkpoint.tensors()) {
    const bool known =
        std::any_of(layers.begin(), layers.end(), [&](const Layer& layer) {
          return layer.weight == tensor.name || layer.bias == tensor.name;
        });
    if (known || tensor.shape.empty()) continue;
    Fail("tensor " + Quoted(tensor.name) + " " + ShapeText(tensor.shape) +
         " is neither the weight nor the bias of a dense layer");
  }
}

// Searches for the possible orders of all layers. Stops at the second.
class ChainSearch {
 public:
  explicit ChainSearch(const std::vector<Layer>& layers)
      : layers_(layers), used_(layers.size(), false) {}

  std::vector<size_t> FindOnlyChain() {
    Extend();
    if (steps_ > kMaxSteps) Fail("too many possible orders of its layers");
    if (chains_.empty()) {
      Fail("no order of its " + std::to_string(layers_.size()) +
           " weight matrices makes the input size of each the output size of "
           "the one before");
    }
    if (chains_.size() > 1) {
      Fail("its layers fit in more than one order (" + Text(chains_[0]) +
           ", or " + Text(chains_[1]) + ")");
    }
    return chains_[0];
  }

 private:
  static constexpr int64_t kMaxSteps = 1'000'000;

  void Extend() {
    if (chains_.size() > 1 || ++steps_ > kMaxSteps) return;
    if (chain_.size() == layers_.size()) {
      chains_.push_back(chain_);
      return;
    }
    for (size_t next = 0; next < layers_.size(); ++next) {
      if (used_[next] || !MayFollow(next)) continue;
      used_[next] = true;
      chain_.push_back(next);
      Extend();
      chain_.pop_back();
      used_[next] = false;
    }
  }

  bool MayFollow(size_t next) const {
    const Layer& layer = layers_[next];
    if (!chain_.empty() && layers_[chain_.back()].outputs != layer.inputs) {
      return false;
    }
    // All layers with the same pattern and a lower number must come first.
    for (size_t other = 0; other < layers_.size(); ++other) {
      if (!used_[other] && other != next &&
          layers_[other].numbered.pattern == layer.numbered.pattern &&
          NumbersAscend(layers_[other].numbered, layer.numbered)) {
        return false;
      }
    }
    return true;
  }

  std::string Text(const std::vector<size_t>& chain) const {
    std::string text;
    for (size_t i = 0; i < std::min<size_t>(4, chain.size()); ++i) {
      text += (i > 0 ? ", " : "") + Quoted(layers_[chain[i]].weight);
    }
    return chain.size() > 4 ? text + " ..." : text;
  }

  const std::vector<Layer>& layers_;
  std::vector<bool> used_;
  std::vector<size_t> chain_;
  std::vector<std::vector<size_t>> chains_;
  int64_t steps_ = 0;
};

Axis GroupAxis(int group, int64_t size) {
  return {.segments = {{{.group = group, .size = size}}}};
}

}  // namespace

Symmetry InferMlp(const Checkpoint& checkpoint) {
  const std::vector<Layer> layers = CollectLayers(checkpoint);
  if (layers.empty()) Fail("it has no matrix named ...weight");
  CheckNothingElse(checkpoint, layers);
  const std::vector<size_t> chain = ChainSearch(layers).FindOnlyChain();
  std::vector<Group> groups;
  std::vector<TensorSymmetry> tensors;
  Axis input = GroupAxis(kNoGroup, layers[chain[0]].inputs);
  for (size_t i = 0; i < chain.size(); ++i) {
    const Layer& layer = layers[chain[i]];
    const bool last = i + 1 == chain.size();
    const Axis output =
        GroupAxis(last ? kNoGroup : static_cast<int>(i), layer.outputs);
    if (!last) {
      groups.push_back(
          {.name = "P" + std::to_string(i), .size = layer.outputs});
    }
    tensors.push_back({.name = layer.weight, .axes = {output, input}});
    if (!layer.bias.empty()) {
      tensors.push_back({.name = layer.bias, .axes = {output}});
    }
    input = output;
  }
  return Symmetry(std::move(groups), std::move(tensors));
}

}  // namespace rebasin
