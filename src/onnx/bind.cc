// Gives the graph of a model the weights of a checkpoint.

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "formats/checkpoint_builder.h"
#include "onnx/folding.h"
#include "onnx/names.h"
#include "onnx/onnx.h"
#include "onnx/tensor_data.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// Whether the shapes agree. An input may have open sizes.
bool Agree(const Shape& declared, const Shape& actual) {
  return std::equal(
      declared.begin(), declared.end(), actual.begin(), actual.end(),
      [](int64_t a, int64_t b) { return a == b || a == kOpenSize; });
}

// '3 tensors, among them "a"'.
std::string CountText(const std::vector<std::string>& names) {
  return std::to_string(names.size()) +
         (names.size() == 1 ? " tensor, " : " tensors, among them ") +
         Quoted(names[0]);
}

class Binder {
 public:
  Binder(OnnxModel model, const Checkpoint& weights)
      : model_(std::move(model)),
        weights_(weights),
        values_(model_.graph.values()),
        nodes_(model_.graph.nodes()) {}

  OnnxModel Bind() {
    BindCopies();
    for (Value& value : values_) BindByName(value);
    BindFolded();
    FixUnbound();
    WarnOfUnused();
    model_.graph =
        Graph(std::move(values_), std::move(nodes_), model_.graph.outputs());
    model_.weights = UsedWeights();
    return std::move(model_);
  }

 private:
  void BindByName(Value& value) {
    const Tensor* tensor = weights_.Find(value.name);
    if (value.role == Role::kComputed || tensor == nullptr) return;
    if (!Agree(value.shape, tensor->shape)) {
      throw Error(ErrorCode::kMismatch,
                  "tensor " + Quoted(value.name) + " is " +
                      ShapeText(tensor->shape) + " in the checkpoint and " +
                      ShapeText(value.shape) + " in the graph");
    }
    BindTo(value, *tensor);
  }

  // Makes the value a weight, or a constant for integers and tables, which are
  // not trained.
  void BindTo(Value& value, const Tensor& tensor) {
    used_.insert(tensor.name);
    value.shape = tensor.shape;
    value.symbols.clear();
    value.kind = KindOf(tensor.dtype);
    value.constant = {};
    value.role = Role::kWeight;
    if (IsArithmetic(tensor.dtype) && !IsNamedLikeTable(tensor.name)) return;
    value.role = Role::kConstant;
    value.constant = ToArray(tensor);
  }

  bool IsBound(const Value& value) const { return used_.contains(value.name); }

  // PyTorch stores equal weights once, and writes the others as an Identity of
  // it. If they have numbers of their own, they are separate weights.
  void BindCopies() {
    std::erase_if(nodes_, [&](const Node& node) {
      if (node.op != "Identity" || node.inputs.size() != 1 ||
          node.outputs.size() != 1 || node.inputs[0] == kNoValue ||
          node.outputs[0] == kNoValue) {
        return false;
      }
      const Value& from = values_[static_cast<size_t>(node.inputs[0])];
      Value& copy = values_[static_cast<size_t>(node.outputs[0])];
      const bool stored = from.role != Role::kComputed;
      if (!stored || weights_.Find(copy.name) == nullptr) return false;
      copy.role = from.role;
      copy.shape = from.shape;
      copy.declared = true;
      return true;
    });
  }

  // The tensors that constant folding may have turned into `folded`. Tensors
  // that already match a value by name are tied, and count only if there are no
  // others.
  std::vector<const Tensor*> OriginalsOf(const Tensor& folded) const {
    std::vector<const Tensor*> free, tied;
    for (const Tensor& tensor : weights_.tensors()) {
      if (FindFolding(tensor, folded) == Folding::kNone) continue;
      (by_name_.contains(tensor.name) ? tied : free).push_back(&tensor);
    }
    return free.empty() ? tied : free;
  }

  void BindFolded() {
    by_name_ = used_;
    std::map<const Tensor*, std::vector<ValueId>> claims;
    for (ValueId id : model_.graph.weights()) {
      const Value& value = values_[static_cast<size_t>(id)];
      if (IsBound(value) || !IsAnonymous(value.name)) continue;
      const auto originals = OriginalsOf(*model_.weights.Find(value.name));
      if (originals.size() == 1) claims[originals[0]].push_back(id);
    }
    for (const auto& [tensor, ids] : claims) {
      if (ids.size() == 1) Unfold(*tensor, ids[0]);
    }
  }

  // Makes the value an operation on the tensor, as it was before folding.
  void Unfold(const Tensor& tensor, ValueId id) {
    const ValueId weight = WeightFor(tensor);
    const Tensor& folded =
        *model_.weights.Find(values_[static_cast<size_t>(id)].name);
    Node node;
    node.inputs = {weight};
    node.outputs = {id};
    switch (FindFolding(tensor, folded)) {
      case Folding::kTranspose:
        node.op = "Transpose";
        node.attributes.emplace("perm", std::vector<int64_t>{1, 0});
        break;
      case Folding::kReshape:
        node.op = "Reshape";
        node.inputs.push_back(AddShape(folded.shape));
        break;
      default:
        node.op = "Identity";
    }
    node.name = tensor.name + "/" + node.op;
    values_[static_cast<size_t>(id)].role = Role::kComputed;
    nodes_.push_back(std::move(node));
  }

  // The graph's weight for this tensor: found by name, or new.
  ValueId WeightFor(const Tensor& tensor) {
    for (size_t id = 0; id < values_.size(); ++id) {
      if (values_[id].name == tensor.name) return static_cast<ValueId>(id);
    }
    Value weight;
    weight.name = tensor.name;
    weight.declared = true;
    BindTo(weight, tensor);
    values_.push_back(std::move(weight));
    return static_cast<ValueId>(values_.size() - 1);
  }

  ValueId AddShape(const Shape& shape) {
    Value value;
    value.name = "shape" + std::to_string(values_.size());
    value.role = Role::kConstant;
    value.kind = Kind::kInteger;
    value.shape = {static_cast<int64_t>(shape.size())};
    value.declared = true;
    value.constant = MakeArray(value.kind, value.shape,
                               std::vector<double>(shape.begin(), shape.end()));
    values_.push_back(std::move(value));
    return static_cast<ValueId>(values_.size() - 1);
  }

  void FixUnbound() {
    std::vector<std::string> fixed;
    for (Value& value : values_) {
      if (value.role != Role::kWeight || IsBound(value)) continue;
      value.role = Role::kConstant;
      value.constant = ToArray(*model_.weights.Find(value.name));
      fixed.push_back(value.name);
    }
    if (fixed.empty()) return;
    model_.warnings.push_back(
        "weights of the graph that are not in the checkpoint are fixed: " +
        CountText(fixed));
  }

  // Ignores other names of used tensors, since a graph has tied weights only
  // once.
  void WarnOfUnused() {
    std::set<const std::byte*> bytes_used;
    for (const Tensor& tensor : weights_.tensors()) {
      if (used_.contains(tensor.name)) bytes_used.insert(tensor.bytes.data());
    }
    std::vector<std::string> unused;
    for (const Tensor& tensor : weights_.tensors()) {
      const bool trained =
          IsArithmetic(tensor.dtype) && !IsNamedLikeTable(tensor.name);
      if (trained && !bytes_used.contains(tensor.bytes.data())) {
        unused.push_back(tensor.name);
      }
    }
    if (unused.empty()) return;
    model_.warnings.push_back(
        "the graph does not use all tensors of the checkpoint: " +
        CountText(unused));
  }

  Checkpoint UsedWeights() const {
    CheckpointBuilder builder;
    builder.WatchFilesOf(weights_);
    for (ValueId id : model_.graph.weights()) {
      const Value& value = model_.graph.values()[static_cast<size_t>(id)];
      builder.AddTensor(*weights_.Find(value.name));
    }
    return builder.Build();
  }

  OnnxModel model_;
  const Checkpoint& weights_;
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::set<std::string> used_;  // names of tensors of weights_
  // Names of tensors of weights_ that match a value of the graph.
  std::set<std::string> by_name_;
};

}  // namespace

OnnxModel BindWeights(OnnxModel model, const Checkpoint& weights) {
  return Binder(std::move(model), weights).Bind();
}

}  // namespace rebasin
