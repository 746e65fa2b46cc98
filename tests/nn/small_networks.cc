#include "nn/small_networks.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "graph/builder.h"
#include "rebasin/nn/train.h"
#include "zoo/layers.h"

namespace rebasin::testing {
namespace {

int64_t SizeOf(const Shape& shape) {
  int64_t size = 1;
  for (int64_t extent : shape) size *= extent;
  return size;
}

GraphPtr Finish(GraphBuilder& g, ValueId output) {
  g.Output(output, "output");
  return std::make_shared<const Graph>(g.Build());
}

ValueId BatchOf(GraphBuilder& g, Shape shape) {
  shape.insert(shape.begin(), kOpenSize);
  return g.Input("input", shape, Kind::kFloat, {"batch"});
}

}  // namespace

GraphPtr SmallMlp(int64_t inputs, int64_t hidden, int64_t classes) {
  GraphBuilder g;
  ValueId x = BatchOf(g, {inputs});
  x = zoo::Relu(g, zoo::Linear(g, "fc1", x, hidden));
  x = zoo::Relu(g, zoo::Linear(g, "fc2", x, hidden));
  return Finish(g, zoo::Linear(g, "fc3", x, classes));
}

GraphPtr MlpWithSoftmax() {
  GraphBuilder g;
  ValueId x = BatchOf(g, {6});
  x = zoo::Relu(g, zoo::Linear(g, "fc1", x, 8));
  x = zoo::Linear(g, "fc2", x, 4);
  return Finish(g, g.Add("Softmax", {x}, {{"axis", int64_t{-1}}}));
}

GraphPtr FixedBatchMlp(int64_t batch) {
  GraphBuilder g;
  const ValueId input = g.Input("input", {batch, 2, 3});
  ValueId x = zoo::Reshape(g, input, {batch, 6});
  x = zoo::Relu(g, zoo::Linear(g, "fc1", x, 8));
  return Finish(g, zoo::Linear(g, "fc2", x, 4));
}

GraphPtr SmallConvNet(int64_t channels, int64_t classes) {
  GraphBuilder g;
  ValueId x = BatchOf(g, {1, 8, 8});
  x = zoo::BatchNorm2d(g, "bn1", zoo::Conv2d(g, "conv1", x, channels));
  x = zoo::MaxPool2d(g, zoo::Relu(g, x), 2, 2);
  x = zoo::BatchNorm2d(g, "bn2", zoo::Conv2d(g, "conv2", x, channels));
  x = zoo::PoolAll(g, zoo::Relu(g, x));
  return Finish(g, zoo::Linear(g, "fc", x, classes));
}

GraphPtr GroupNormNet() {
  constexpr int64_t kChannels = 12, kGroups = 4;
  GraphBuilder g;
  ValueId x = BatchOf(g, {1, 8, 8});
  for (const std::string number : {"1", "2"}) {
    x = zoo::Conv2d(g, "conv" + number, x, kChannels);
    x = g.Add("GroupNormalization",
              {x, g.Weight("gn" + number + ".weight", {kChannels}),
               g.Weight("gn" + number + ".bias", {kChannels})},
              {{"num_groups", kGroups}});
    x = zoo::Relu(g, x);
  }
  return Finish(g, zoo::Linear(g, "fc", zoo::PoolAll(g, x), 4));
}

Dataset Blobs(const Shape& shape, int64_t classes, int64_t size,
              uint64_t seed) {
  const int64_t length = SizeOf(shape);
  Random mean_numbers(17);
  std::vector<double> means(classes * length);
  for (double& mean : means) mean = mean_numbers.Normal();
  Random random(seed);
  std::vector<float> values;
  std::vector<int32_t> labels;
  for (int64_t i = 0; i < size; ++i) {
    const int64_t label = i % classes;
    labels.push_back(static_cast<int32_t>(label));
    for (int64_t k = 0; k < length; ++k) {
      values.push_back(static_cast<float>(means[label * length + k] +
                                          0.7 * random.Normal()));
    }
  }
  return Dataset("blobs", shape, std::move(values), std::move(labels), classes);
}

DataSplits Digits() { return OpenData(DIGITS_FOLDER); }

Checkpoint RandomNetwork(const Graph& graph, uint64_t seed) {
  const Checkpoint start =
      InitialWeights(graph, Initialization::kKaiming, seed);
  Random random(seed + 1000);
  std::vector<Tensor> tensors;
  for (const Tensor& tensor : start.tensors()) {
    std::vector<float> numbers(tensor.size());
    ReadFloats(tensor, 0, numbers);
    for (float& number : numbers) {
      number += static_cast<float>(0.2 * random.Uniform());
    }
    tensors.push_back(MakeTensor(tensor.name, tensor.shape, numbers));
  }
  return Checkpoint(std::move(tensors));
}

std::vector<double> NumbersOf(const Checkpoint& model,
                              const std::string& name) {
  const Tensor& tensor = *model.Find(name);
  std::vector<double> numbers(tensor.size());
  ReadDoubles(tensor, 0, numbers);
  return numbers;
}

Checkpoint Changed(const Checkpoint& model, const std::string& name,
                   double factor, double shift) {
  std::vector<Tensor> tensors = model.tensors();
  for (Tensor& tensor : tensors) {
    if (tensor.name != name) continue;
    std::vector<float> numbers(tensor.size());
    ReadFloats(tensor, 0, numbers);
    for (float& number : numbers) {
      number = static_cast<float>(factor * number + shift);
    }
    tensor = MakeTensor(name, tensor.shape, numbers);
  }
  return Checkpoint(std::move(tensors), model.metadata());
}

std::string BytesOf(const Checkpoint& model) {
  std::string bytes;
  for (const Tensor& tensor : model.tensors()) {
    bytes += tensor.name + ShapeText(tensor.shape);
    bytes.append(reinterpret_cast<const char*>(tensor.bytes.data()),
                 tensor.bytes.size());
  }
  return bytes;
}

bool AllFinite(const Checkpoint& model) {
  for (const Tensor& tensor : model.tensors()) {
    for (double number : NumbersOf(model, tensor.name)) {
      if (!std::isfinite(number)) return false;
    }
  }
  return true;
}

}  // namespace rebasin::testing
