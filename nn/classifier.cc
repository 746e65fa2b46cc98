#include "nn/classifier.h"

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <string>
#include <utility>

#include "graph/inference.h"
#include "rebasin/error.h"

namespace rebasin::nn {
namespace {

// Removes a final Softmax, which would turn logits into probabilities.
std::shared_ptr<const Graph> WithoutSoftmax(
    std::shared_ptr<const Graph> graph) {
  const ValueId output = graph->outputs().front();
  for (const Node& node : graph->nodes()) {
    if (node.outputs.front() != output) continue;
    if (node.op != "Softmax") break;
    return std::make_shared<const Graph>(graph->values(), graph->nodes(),
                                         std::vector{node.inputs.front()});
  }
  return graph;
}

std::shared_ptr<const Graph> CheckedGraph(std::shared_ptr<const Graph> graph) {
  if (graph->inputs().size() != 1 || graph->outputs().empty()) {
    throw Error(ErrorCode::kUnsupported,
                "a classifier has one input and an output; this graph has " +
                    std::to_string(graph->inputs().size()) + " and " +
                    std::to_string(graph->outputs().size()));
  }
  return WithoutSoftmax(std::move(graph));
}

// The example's shape as the graph expects it: the same, flattened, or with
// other axes of size 1.
Shape FitShape(const Shape& wanted, const Dataset& data) {
  Shape inner(wanted.begin() + 1, wanted.end());
  const Shape& example = data.example_shape();
  // Open sizes are those of the example.
  if (inner.size() == example.size()) {
    for (size_t i = 0; i < inner.size(); ++i) {
      if (inner[i] == kOpenSize) inner[i] = example[i];
    }
  }
  const bool open =
      std::find(inner.begin(), inner.end(), kOpenSize) != inner.end();
  if (open || c10::multiply_integers(inner) != data.example_size()) {
    throw Error(ErrorCode::kMismatch,
                "the network takes examples of " +
                    ShapeText({wanted.begin() + 1, wanted.end()}) +
                    ", the data has " + ShapeText(example));
  }
  return inner;
}

Shape WithBatch(int64_t batch, const Shape& inner) {
  Shape shape = {batch};
  shape.insert(shape.end(), inner.begin(), inner.end());
  return shape;
}

// The number of classes if the graph runs with this batch size; else 0.
int64_t ClassesWithBatch(const Graph& graph, int64_t batch,
                         const Shape& inner) {
  const auto inference = TryInfer(graph, {WithBatch(batch, inner)});
  if (!inference) return 0;
  const ValueType& type = inference->types[graph.outputs().front()];
  const bool fits =
      type.known && type.shape.size() == 2 && type.shape.front() == batch;
  return fits ? type.shape.back() : 0;
}

}  // namespace

at::Device DeviceOf(const std::string& text) {
  if (text == "cpu") return at::kCPU;
  if (!text.starts_with("cuda")) {
    throw Error(ErrorCode::kUsage, "no device " + Quoted(text),
                "there are cpu and cuda");
  }
  if (!at::hasCUDA()) {
    throw Error(ErrorCode::kUsage, "LibTorch finds no CUDA device here",
                "leave --device at cpu");
  }
  try {
    return at::Device(text);
  } catch (const c10::Error&) {
    throw Error(ErrorCode::kUsage, "no device " + Quoted(text));
  }
}

Classifier::Classifier(std::shared_ptr<const Graph> graph, const Dataset& data,
                       const ComputeOptions& options)
    : network_(CheckedGraph(std::move(graph)), options.precision,
               DeviceOf(options.device)) {
  if (data.empty()) {
    throw Error(ErrorCode::kMismatch, "the data set is empty");
  }
  const Graph& g = network_.graph();
  const Shape& wanted = g.values()[g.inputs().front()].shape;
  if (wanted.empty()) {
    throw Error(ErrorCode::kUnsupported, "the graph's input has no batch axis");
  }
  input_shape_ = FitShape(wanted, data);
  // An odd size that is unlikely to be a fixed batch size.
  constexpr int64_t kAnyBatch = 3;
  classes_ = ClassesWithBatch(g, kAnyBatch, input_shape_);
  if (classes_ == 0 && wanted.front() > 0) {
    fixed_batch_ = wanted.front();
    classes_ = ClassesWithBatch(g, fixed_batch_, input_shape_);
  }
  if (classes_ == 0) {
    throw Error(ErrorCode::kUnsupported,
                "the graph's output is not a score for each class");
  }
}

Shape Classifier::InputShape(int64_t batch) const {
  return WithBatch(batch, input_shape_);
}

int64_t Classifier::CacheFittingBatch() const {
  if (fixed_batch_ > 0) return fixed_batch_;
  // A typical second-level cache of a core. Measured on ResNet20: batches of 16
  // to 32 take three quarters of the time of batches of 250.
  constexpr int64_t kCacheBytes = 2 << 20;
  constexpr int64_t kLeast = 16, kMost = 500;
  const auto inference =
      TryInfer(network_.graph(), {WithBatch(1, input_shape_)});
  int64_t largest = 1;
  for (const Node& node : network_.graph().nodes()) {
    for (ValueId id : node.outputs) {
      if (!inference || id == kNoValue || !inference->types[id].known) continue;
      largest = std::max<int64_t>(
          largest, c10::multiply_integers(inference->types[id].shape));
    }
  }
  const auto bytes = static_cast<int64_t>(sizeof(float)) * largest;
  return std::clamp(kCacheBytes / bytes, kLeast, kMost);
}

std::vector<at::Tensor> Classifier::Prepare(const Weights& weights) const {
  return Prepare(weights.tensors());
}

std::vector<at::Tensor> Classifier::Prepare(
    std::span<const at::Tensor> weights) const {
  std::vector<at::Tensor> tensors;
  for (const at::Tensor& weight : weights) {
    tensors.push_back(weight.to(network_.device(), network_.float_type()));
  }
  return tensors;
}

at::Tensor Classifier::InputFrom(const at::Tensor& examples) const {
  const int64_t batch = examples.size(0);
  at::Tensor input = examples.view(WithBatch(batch, input_shape_))
                         .to(network_.device(), network_.float_type());
  if (fixed_batch_ <= batch) return input;
  std::vector<int64_t> repeats(input.dim(), 1);
  repeats.front() = (fixed_batch_ + batch - 1) / batch;
  return input.repeat(repeats).narrow(0, 0, fixed_batch_);
}

at::Tensor Classifier::Logits(std::span<const at::Tensor> weights,
                              const at::Tensor& examples,
                              const RunOptions& options) const {
  const at::Tensor logits =
      network_.Run(weights, {{InputFrom(examples)}}, options).front();
  // Drops the padding.
  return logits.narrow(0, 0, examples.size(0));
}

void Classifier::Watch(std::span<const std::vector<at::Tensor>> models,
                       const at::Tensor& examples,
                       std::span<const ValueWatch> watches) const {
  network_.RunInStep(models, {{InputFrom(examples)}}, watches);
}

void RequireLabels(const Dataset& data, int64_t classes) {
  if (!data.has_labels()) {
    throw Error(ErrorCode::kMismatch,
                "the data (" + data.name() + ") has no labels");
  }
  if (data.classes() > classes) {
    throw Error(
        ErrorCode::kMismatch,
        "the data (" + data.name() + ") has " + std::to_string(data.classes()) +
            " classes, the network distinguishes " + std::to_string(classes));
  }
}

}  // namespace rebasin::nn
