#include <gtest/gtest.h>

#include <algorithm>

#include "rebasin/zoo.h"
#include "zoo/models.h"

namespace rebasin {
namespace {

using testing::ZeroTensors;

// The model with each layer's name put through `rename`.
template <typename Rename>
Checkpoint WithLayers(const std::string& text, const Rename& rename) {
  std::vector<Tensor> tensors = ZeroTensors(ZooGraph(text));
  for (Tensor& tensor : tensors) {
    const size_t dot = tensor.name.find_last_of('.');
    tensor.name = rename(tensor.name.substr(0, dot)) + tensor.name.substr(dot);
  }
  return Checkpoint(std::move(tensors));
}

std::string ModelSuggestedFor(const Checkpoint& model) {
  const auto suggestion = SuggestNames(model);
  return suggestion ? suggestion->model : "";
}

TEST(SuggestNames, FindsArchitecturesUnderAPrefix) {
  for (const std::string text :
       {"mlp:depth=2,width=20,in=30,out=5,names=fc",
        "mlp:depth=12,width=20,in=30,out=5,names=seq",
        "mlp:depth=2,width=20,in=30,out=5,names=fc,bias=false",
        "residual_mlp:depth=2,width=20,hidden=30,in=40,out=5",
        "convmixer:depth=3,width=24,kernel=7,patch=4,norm=batch,classes=6"}) {
    const auto prefixed = WithLayers(
        text, [](const std::string& layer) { return "net." + layer; });
    EXPECT_EQ(ModelSuggestedFor(prefixed).substr(0, text.find(',')),
              text.substr(0, text.find(',')))
        << text;
  }
}

TEST(SuggestNames, ReturnsNewNamesThatFit) {
  const std::string text = "mlp:depth=11,width=20,in=30,out=5,names=fc";
  const Checkpoint odd = WithLayers(text, [](const std::string& layer) {
    return "stage_" + layer.substr(2);
  });
  const auto suggestion = SuggestNames(odd);
  ASSERT_TRUE(suggestion);
  for (const auto& [from, to] : suggestion->renames) {
    EXPECT_EQ("fc" + from.substr(6), to);
  }
}

TEST(SuggestNames, UnderstandsNamesWithoutDots) {
  std::vector<Tensor> tensors =
      ZeroTensors(ZooGraph("mlp:depth=2,width=20,in=30,out=5"));
  for (Tensor& tensor : tensors) {
    const std::string number = tensor.name.substr(2, 1);
    tensor.name = (tensor.name.ends_with("bias") ? "b" : "W_") + number;
  }
  EXPECT_EQ(ModelSuggestedFor(Checkpoint(std::move(tensors))),
            "mlp:depth=2,width=20,in=30,out=5,names=fc");
}

TEST(SuggestNames, IsSilentAboutOtherShapes) {
  EXPECT_EQ(ModelSuggestedFor(Checkpoint()), "");
  EXPECT_EQ(ModelSuggestedFor(
                Checkpoint({MakeTensor("w", {2, 3}, std::vector<float>(6)),
                            MakeTensor("v", {4, 5}, std::vector<float>(20))})),
            "");
}

}  // namespace
}  // namespace rebasin
