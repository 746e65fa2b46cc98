#include "lab/ot_fusion.h"

#include <gtest/gtest.h>

#include "rebasin/discovery.h"
#include "rebasin/error.h"
#include "rebasin/merge.h"
#include "rebasin/nn/train.h"
#include "rebasin/zoo.h"
#include "support/expect_error.h"

namespace rebasin::lab {
namespace {

struct Planted {
  std::shared_ptr<const Symmetry> symmetry;
  Checkpoint a, b;
  Alignment alignment;
};

// B is A with its units in another order, each layer scaled by 3.
Planted Plant(const std::string& model) {
  const Graph graph = ZooGraph(model);
  const auto symmetry =
      std::make_shared<const Symmetry>(Discover(graph).symmetry);
  const Checkpoint a = InitialWeights(graph, Initialization::kKaiming, 1);
  const Alignment planted = Alignment::Random(symmetry, 2);
  return {symmetry, a, Permute(a, planted.Inverse()), planted};
}

TEST(OtFusionTest, FindsThePermutationOfACopy) {
  for (const char* model :
       {"mlp:in=20,width=12", "vgg11:head=cifar,divide=16,classes=4",
        "vgg11:head=dense,divide=16,classes=4"}) {
    const Planted planted = Plant(model);
    EXPECT_TRUE(OtFusion(planted.a, planted.b, planted.symmetry) ==
                planted.alignment)
        << model;
  }
}

TEST(OtFusionTest, DoesNotSeeTheLengthOfWeights) {
  const Planted planted = Plant("mlp:in=20,width=12,bias=false");
  std::vector<Tensor> scaled;
  for (const Tensor& tensor : planted.b.tensors()) {
    std::vector<float> values(static_cast<size_t>(tensor.size()));
    ReadFloats(tensor, 0, values);
    // Each row by another factor.
    const size_t length = values.size() / static_cast<size_t>(tensor.shape[0]);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] *= 1 + 0.5F * static_cast<float>(i / length);
    }
    scaled.push_back(MakeTensor(tensor.name, tensor.shape, values));
  }
  // The first layer's order depends on directions alone.
  const Alignment found =
      OtFusion(planted.a, Checkpoint(std::move(scaled)), planted.symmetry);
  const auto first = found.permutation(0),
             wanted = planted.alignment.permutation(0);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), wanted.begin()));
}

TEST(OtFusionTest, NeedsALayerForEachGroup) {
  const std::vector<Group> groups = {{"units", 2}};
  const auto symmetry = std::make_shared<const Symmetry>(
      groups,
      std::vector<TensorSymmetry>{
          {.name = "w",
           .axes = {ParseAxis("2", groups), ParseAxis("units", groups)}}});
  const Checkpoint a({MakeTensor("w", {2, 2}, std::vector<float>{1, 2, 3, 4})});
  ExpectError(ErrorCode::kUnsupported, {"units"},
              [&] { OtFusion(a, a, symmetry); });
}

}  // namespace
}  // namespace rebasin::lab
