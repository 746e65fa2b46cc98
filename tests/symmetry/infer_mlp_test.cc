#include <gtest/gtest.h>

#include "rebasin/error.h"
#include "rebasin/symmetry.h"

namespace rebasin {
namespace {

struct LayerShape {
  std::string name;
  Shape shape;
};

Checkpoint Model(const std::vector<LayerShape>& layers) {
  std::vector<Tensor> tensors;
  for (const auto& [name, shape] : layers) {
    int64_t size = 1;
    for (int64_t dim : shape) size *= dim;
    tensors.push_back(MakeTensor(name, shape, std::vector<float>(size)));
  }
  return Checkpoint(std::move(tensors));
}

std::string AxesOf(const Symmetry& symmetry, const std::string& name) {
  std::string text;
  for (const Axis& axis : symmetry.Find(name)->axes) {
    text += AxisText(axis, symmetry.groups()) + " ";
  }
  return text;
}

TEST(InferMlp, FollowsNumberedLayersThroughEqualWidths) {
  const auto mlp = InferMlp(Model({{"layers.0.weight", {8, 8}},
                                   {"layers.0.bias", {8}},
                                   {"layers.2.weight", {8, 8}},
                                   {"layers.2.bias", {8}},
                                   {"layers.10.weight", {8, 8}}}));
  EXPECT_EQ(mlp.groups().size(), 2u);
  EXPECT_EQ(AxesOf(mlp, "layers.0.weight"), "P0 8 ");
  EXPECT_EQ(AxesOf(mlp, "layers.2.weight"), "P1 P0 ");
  EXPECT_EQ(AxesOf(mlp, "layers.2.bias"), "P1 ");
  EXPECT_EQ(AxesOf(mlp, "layers.10.weight"), "8 P1 ");
}

TEST(InferMlp, FollowsShapesWhereNamesSayNothing) {
  const auto mlp = InferMlp(Model({{"encoder.weight", {6, 4}},
                                   {"middle.weight", {5, 6}},
                                   {"decoder.weight", {3, 5}}}));
  EXPECT_EQ(AxesOf(mlp, "middle.weight"), "P1 P0 ");
}

TEST(InferMlp, AcceptsBareNumbers) {
  const auto mlp =
      InferMlp(Model({{"0.weight", {6, 6}}, {"2.weight", {6, 6}}}));
  EXPECT_EQ(AxesOf(mlp, "2.weight"), "6 P0 ");
}

std::string Refusal(const std::vector<LayerShape>& layers) {
  try {
    InferMlp(Model(layers));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kMismatch);
    return error.what();
  }
  return "accepted";
}

TEST(InferMlp, RefusesAmbiguousOrders) {
  EXPECT_NE(Refusal({{"left.weight", {8, 8}}, {"right.weight", {8, 8}}})
                .find("more than one order"),
            std::string::npos);
}

TEST(InferMlp, RefusesChainsThatDoNotFit) {
  EXPECT_NE(Refusal({{"fc1.weight", {6, 4}}, {"fc2.weight", {3, 5}}})
                .find("no order"),
            std::string::npos);
}

TEST(InferMlp, RefusesTensorsItCannotPlace) {
  EXPECT_NE(Refusal({{"fc1.weight", {6, 4}}, {"norm.weight", {6}}})
                .find("\"norm.weight\""),
            std::string::npos);
  EXPECT_NE(Refusal({{"conv.kernel", {6, 4, 3, 3}}}), "accepted");
}

TEST(InferMlp, GivesUpOnHugeSearchesInsteadOfHanging) {
  std::vector<LayerShape> layers;
  for (char a = 'a'; a <= 'z'; ++a) {
    layers.push_back({std::string(1, a) + ".weight", {8, 8}});
  }
  EXPECT_NE(Refusal(layers), "accepted");
}

}  // namespace
}  // namespace rebasin
