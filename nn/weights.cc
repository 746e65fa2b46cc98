#include "nn/weights.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "graph/operator.h"
#include "nn/tensors.h"
#include "rebasin/discovery.h"
#include "rebasin/error.h"

namespace rebasin::nn {
namespace {

// Every view starts at a cache line.
constexpr int64_t kAlignment = 16;

int64_t Aligned(int64_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

Tensor Export(const at::Tensor& numbers, std::string name, DType dtype) {
  const at::Tensor floats = numbers.to(at::kFloat).contiguous();
  return MakeTensor(
      std::move(name), numbers.sizes().vec(),
      {floats.data_ptr<float>(), static_cast<size_t>(floats.numel())}, dtype);
}

}  // namespace

std::vector<bool> StatisticWeights(const Graph& graph) {
  std::set<ValueId> found;
  for (const Node& node : graph.nodes()) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (IsStatistic(RoleOfInput(node, i))) found.insert(node.inputs[i]);
    }
  }
  std::vector<bool> statistics;
  for (ValueId id : graph.weights()) statistics.push_back(found.contains(id));
  return statistics;
}

Weights::Weights(std::shared_ptr<const Graph> graph, at::ScalarType type)
    : graph_(std::move(graph)), statistics_(StatisticWeights(*graph_)) {
  const std::vector<ValueId>& ids = graph_->weights();
  std::vector<int64_t> offsets(ids.size());
  std::vector<int64_t> sizes;
  for (ValueId id : ids) {
    sizes.push_back(c10::multiply_integers(graph_->values()[id].shape));
  }
  int64_t end = 0;
  for (const bool part : {false, true}) {
    for (size_t i = 0; i < ids.size(); ++i) {
      if (statistics_[i] != part) continue;
      offsets[i] = end;
      end += Aligned(sizes[i]);
    }
    if (!part) trained_ = end;
  }
  flat_ = at::zeros({end}, type);
  for (size_t i = 0; i < ids.size(); ++i) {
    tensors_.push_back(flat_.narrow(0, offsets[i], sizes[i])
                           .view(graph_->values()[ids[i]].shape));
  }
}

Weights::Weights(std::shared_ptr<const Graph> graph, const Checkpoint& model,
                 at::ScalarType type)
    : Weights(std::move(graph), type) {
  CheckFits(*graph_, model);
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const std::string& name = graph_->values()[graph_->weights()[i]].name;
    const Tensor& tensor = *model.Find(name);
    if (!IsArithmetic(tensor.dtype)) {
      throw Error(ErrorCode::kUnsupported,
                  "cannot run with " + Quoted(name) + " of type " +
                      std::string(DTypeName(tensor.dtype)));
    }
    CopyNumbers(tensor, tensors_[i]);
  }
}

Weights Weights::Clone() const {
  Weights copy(graph_, flat_.scalar_type());
  copy.flat_.copy_(flat_);
  return copy;
}

Checkpoint Weights::ToCheckpoint(const Checkpoint& like) const {
  std::vector<Tensor> tensors = like.tensors();
  for (Tensor& tensor : tensors) {
    const ValueId id = graph_->FindWeight(tensor.name);
    if (id == kNoValue) continue;
    const auto& ids = graph_->weights();
    const auto at = std::find(ids.begin(), ids.end(), id) - ids.begin();
    // Unchanged weights keep their bytes: double has more digits than float32.
    at::Tensor before = at::empty_like(tensors_[at]);
    CopyNumbers(tensor, before);
    if (before.equal(tensors_[at])) continue;
    tensor = Export(tensors_[at], tensor.name, tensor.dtype);
  }
  return Checkpoint(std::move(tensors), like.metadata());
}

Checkpoint Weights::ToCheckpoint(
    std::map<std::string, std::string> metadata) const {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    tensors.push_back(Export(
        tensors_[i], graph_->values()[graph_->weights()[i]].name, DType::kF32));
  }
  return Checkpoint(std::move(tensors), std::move(metadata));
}

}  // namespace rebasin::nn
