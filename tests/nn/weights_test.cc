#include "nn/weights.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "nn/small_networks.h"
#include "rebasin/error.h"
#include "support/expect_error.h"
#include "zoo/models.h"

namespace rebasin::nn {
namespace {

using testing::BytesOf;
using testing::GraphPtr;
using testing::NumbersOf;
using testing::RandomNetwork;
using testing::SmallConvNet;
using testing::SmallMlp;

Checkpoint With(const Checkpoint& model, const Tensor& tensor) {
  std::vector<Tensor> tensors = {tensor};
  for (const Tensor& old : model.tensors()) {
    if (old.name != tensor.name) tensors.push_back(old);
  }
  return Checkpoint(std::move(tensors), model.metadata());
}

Checkpoint Without(const Checkpoint& model, const std::string& name) {
  std::vector<Tensor> tensors = model.tensors();
  std::erase_if(tensors, [&](const Tensor& t) { return t.name == name; });
  return Checkpoint(std::move(tensors), model.metadata());
}

TEST(Weights, LieOneAfterAnotherWithStatisticsLast) {
  const Weights weights(SmallConvNet());
  const float* const base = weights.flat().data_ptr<float>();
  std::vector<std::pair<int64_t, int64_t>> pieces;
  int64_t statistics = 0;
  for (size_t i = 0; i < weights.tensors().size(); ++i) {
    const at::Tensor& tensor = weights.tensors()[i];
    const int64_t begin = tensor.data_ptr<float>() - base;
    EXPECT_EQ(weights.statistics()[i], begin >= weights.trained());
    statistics += weights.statistics()[i];
    pieces.emplace_back(begin, begin + tensor.numel());
  }
  EXPECT_EQ(statistics, 4);  // means and variances of two norms
  std::sort(pieces.begin(), pieces.end());
  EXPECT_EQ(pieces.front().first, 0);
  for (size_t i = 1; i < pieces.size(); ++i) {
    EXPECT_GE(pieces[i].first, pieces[i - 1].second);
  }
  EXPECT_LE(pieces.back().second, weights.flat().numel());
}

TEST(Weights, AreViewsOfTheFlatMemory) {
  const Weights weights(SmallMlp());
  weights.flat().fill_(3);
  for (const at::Tensor& tensor : weights.tensors()) {
    EXPECT_TRUE(tensor.eq(3).all().item<bool>());
  }
  const Weights copy = weights.Clone();
  weights.flat().fill_(5);
  EXPECT_TRUE(copy.flat().eq(3).all().item<bool>());
}

TEST(Weights, HaveTheGraphsOrderAndTheCheckpointsNumbers) {
  const GraphPtr graph = SmallMlp();
  const Checkpoint model = RandomNetwork(*graph, 1);
  const Weights weights(graph, model, at::kDouble);
  for (size_t i = 0; i < weights.tensors().size(); ++i) {
    const Value& value = graph->values()[graph->weights()[i]];
    const at::Tensor& tensor = weights.tensors()[i];
    EXPECT_EQ(tensor.sizes().vec(), value.shape);
    const std::vector<double> numbers(
        tensor.data_ptr<double>(), tensor.data_ptr<double>() + tensor.numel());
    EXPECT_EQ(numbers, NumbersOf(model, value.name));
  }
}

TEST(Weights, ComeBackAsTheModelThatTheyWere) {
  const GraphPtr graph = SmallConvNet();
  const Checkpoint model = RandomNetwork(*graph, 1);
  const Weights weights(graph, model);
  EXPECT_EQ(BytesOf(weights.ToCheckpoint(model)), BytesOf(model));
  const Checkpoint alone = weights.ToCheckpoint(
      std::map<std::string, std::string>{{"key", "value"}});
  EXPECT_EQ(BytesOf(alone), BytesOf(model));
  EXPECT_EQ(alone.metadata().at("key"), "value");
}

TEST(Weights, KeepTypesAndExtraTensorsAndMetadata) {
  const GraphPtr graph = SmallMlp();
  Checkpoint model = RandomNetwork(*graph, 1);
  const std::vector<float> halves(8, 0.5F);
  model = With(model, MakeTensor("fc1.bias", {8}, halves, DType::kF16));
  model = With(model, MakeTensor("fc2.bias", {8}, halves, DType::kBF16));
  model = With(model, testing::Zeros("steps", {}, DType::kI64));
  model = Checkpoint(model.tensors(), {{"rebasin.model", "mlp"}});
  const Weights weights(graph, model);
  weights.flat().mul_(2);
  const Checkpoint twice = weights.ToCheckpoint(model);
  EXPECT_EQ(twice.metadata(), model.metadata());
  ASSERT_EQ(twice.tensors().size(), model.tensors().size());
  for (const Tensor& tensor : model.tensors()) {
    EXPECT_EQ(twice.Find(tensor.name)->dtype, tensor.dtype) << tensor.name;
    EXPECT_EQ(twice.Find(tensor.name)->shape, tensor.shape) << tensor.name;
  }
  EXPECT_EQ(NumbersOf(twice, "fc1.bias"), std::vector<double>(8, 1));
  EXPECT_EQ(NumbersOf(twice, "fc2.bias"), std::vector<double>(8, 1));
}

TEST(Weights, RefuseNumbersThatOverflowTheirType) {
  const GraphPtr graph = SmallMlp();
  const std::vector<float> large(8, 60000.0F);
  const Checkpoint model =
      With(RandomNetwork(*graph, 1),
           MakeTensor("fc1.bias", {8}, large, DType::kF16));
  const Weights weights(graph, model);
  weights.flat().mul_(2);
  ExpectError(ErrorCode::kBadInput, {"fc1.bias"},
              [&] { weights.ToCheckpoint(model); });
}

TEST(Weights, RefuseAModelThatLacksOne) {
  const GraphPtr graph = SmallMlp();
  const Checkpoint model = Without(RandomNetwork(*graph, 1), "fc2.bias");
  ExpectError(ErrorCode::kMismatch, {"fc2.bias"},
              [&] { const Weights weights(graph, model); });
}

TEST(Weights, RefuseAnotherShape) {
  const GraphPtr graph = SmallMlp();
  const std::vector<float> numbers(9);
  const Checkpoint model =
      With(RandomNetwork(*graph, 1), MakeTensor("fc2.bias", {9}, numbers));
  ExpectError(ErrorCode::kMismatch, {"fc2.bias", "[9]", "[8]"},
              [&] { const Weights weights(graph, model); });
}

TEST(Weights, RefuseIntegers) {
  const GraphPtr graph = SmallMlp();
  const Checkpoint model = With(RandomNetwork(*graph, 1),
                                testing::Zeros("fc2.bias", {8}, DType::kI32));
  ExpectError(ErrorCode::kUnsupported, {"fc2.bias", "I32"},
              [&] { const Weights weights(graph, model); });
}

}  // namespace
}  // namespace rebasin::nn
