// Gives the graph of a model the weights of a checkpoint.

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "formats/checkpoint_builder.h"
#include "onnx/names.h"
#include "onnx/tensor_data.h"
#include "rebasin/error.h"
#include "rebasin/onnx.h"

namespace rebasin {
namespace {

// An input may leave sizes open.
bool Agree(const Shape& declared, const Shape& actual) {
  return std::equal(
      declared.begin(), declared.end(), actual.begin(), actual.end(),
      [](int64_t a, int64_t b) { return a == b || a == kOpenSize; });
}

bool IsTranspose(const Tensor& a, const Tensor& b) {
  if (a.dtype != b.dtype || a.shape.size() != 2 || b.shape.size() != 2 ||
      a.shape[0] != b.shape[1] || a.shape[1] != b.shape[0]) {
    return false;
  }
  const auto item = static_cast<size_t>(DTypeBits(a.dtype)) / 8;
  const auto rows = static_cast<size_t>(a.shape[0]);
  const auto columns = static_cast<size_t>(a.shape[1]);
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns; ++c) {
      const auto* left = a.bytes.data() + (r * columns + c) * item;
      const auto* right = b.bytes.data() + (c * rows + r) * item;
      if (std::memcmp(left, right, item) != 0) return false;
    }
  }
  return true;
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
    for (Value& value : values_) BindByName(value);
    BindTransposes();
    FixTheRest();
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
    Become(value, *tensor);
  }

  // Integers and tables are not trained, wherever they come from.
  void Become(Value& value, const Tensor& tensor) {
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

  // Candidates that are the transpose of a weight without numbers yet.
  std::vector<const Tensor*> TransposesOf(const Tensor& tensor) const {
    std::vector<const Tensor*> found;
    for (const Tensor& candidate : weights_.tensors()) {
      const bool free = !used_.contains(candidate.name) &&
                        model_.weights.Find(candidate.name) == nullptr;
      if (free && IsTranspose(tensor, candidate)) found.push_back(&candidate);
    }
    return found;
  }

  void BindTransposes() {
    std::map<const Tensor*, std::vector<ValueId>> claims;
    for (ValueId id : model_.graph.weights()) {
      const Value& value = values_[static_cast<size_t>(id)];
      const Tensor* own = model_.weights.Find(value.name);
      if (own == nullptr || IsBound(value)) continue;
      const auto found = TransposesOf(*own);
      if (found.size() == 1) claims[found[0]].push_back(id);
    }
    for (const auto& [tensor, ids] : claims) {
      if (ids.size() == 1) AddTranspose(*tensor, ids[0]);
    }
  }

  void AddTranspose(const Tensor& tensor, ValueId id) {
    Value weight;
    weight.name = tensor.name;
    weight.declared = true;
    Become(weight, tensor);
    Value& value = values_[static_cast<size_t>(id)];
    value.role = Role::kComputed;
    Node node;
    node.op = "Transpose";
    node.name = tensor.name + "/Transpose";
    node.inputs = {static_cast<ValueId>(values_.size())};
    node.outputs = {id};
    node.attributes.emplace("perm", std::vector<int64_t>{1, 0});
    nodes_.push_back(std::move(node));
    values_.push_back(std::move(weight));
  }

  void FixTheRest() {
    std::vector<std::string> fixed;
    for (Value& value : values_) {
      if (value.role != Role::kWeight || IsBound(value)) continue;
      value.role = Role::kConstant;
      value.constant = ToArray(*model_.weights.Find(value.name));
      fixed.push_back(value.name);
    }
    if (fixed.empty()) return;
    model_.warnings.push_back(
        "weights of the graph that the checkpoint lacks are fixed: " +
        CountText(fixed));
  }

  void WarnOfUnused() {
    std::vector<std::string> unused;
    for (const Tensor& tensor : weights_.tensors()) {
      const bool trained =
          IsArithmetic(tensor.dtype) && !IsNamedLikeTable(tensor.name);
      if (trained && !used_.contains(tensor.name)) {
        unused.push_back(tensor.name);
      }
    }
    if (unused.empty()) return;
    model_.warnings.push_back("the graph does not use all of the checkpoint: " +
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
};

}  // namespace

OnnxModel BindWeights(OnnxModel model, const Checkpoint& weights) {
  return Binder(std::move(model), weights).Bind();
}

}  // namespace rebasin
