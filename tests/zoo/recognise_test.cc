// Checkpoints are recognised by the names and shapes of their tensors.

#include "zoo/recognise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rebasin/zoo.h"
#include "support/expect_error.h"
#include "zoo/models.h"

namespace rebasin {
namespace {

using ::testing::StartsWith;
using testing::Zeros;
using testing::ZeroTensors;

// With what is said of it, where shapes are not enough.
std::string Identify(const Checkpoint& model, const std::string& said) {
  const ModelSource source{.weights = &model};
  return IdentifyModel({&source, 1}, {.model = said}).text;
}

std::string RecogniseZeros(const std::string& text,
                           const std::string& said = "auto") {
  return Identify(Checkpoint(ZeroTensors(ZooGraph(text))), said);
}

TEST(RecogniseModel, KnowsEveryArchitecture) {
  for (const ZooEntry& entry : ZooEntries()) {
    // Smaller in what no other option depends on, to spare memory.
    const std::string text =
        entry.name + (entry.name == "llama" ? ":depth=2,vocab=50" : "");
    const bool attends =
        entry.options.size() > 2 && entry.options[2].name == "heads";
    const std::string said = attends ? entry.name + ":heads=4" : "auto";
    const std::string found = RecogniseZeros(text, said);
    EXPECT_THAT(found, StartsWith(entry.name + ":"));
    EXPECT_EQ(RecogniseZeros(found, said), found);
  }
}

TEST(RecogniseModel, ReadsTheOptionsOffTheShapes) {
  for (const std::string text :
       {"mlp:depth=3,width=20,in=30,out=5,names=fc",
        "mlp:depth=12,width=20,in=30,out=5,names=seq",
        "vgg11:norm=none,head=cifar,classes=10,width=1,divide=4",
        "vgg16:norm=batch,head=cifar,classes=100,width=2,divide=1",
        "vgg19:norm=batch,head=imagenet,classes=7,width=1,divide=1",
        "vgg16:norm=none,head=dense,classes=10,width=1,divide=8",
        "resnet20:shortcut=A,norm=batch,width=1,classes=10",
        "resnet20:shortcut=C,norm=batch,width=2,classes=10",
        "convnext:depth=1,stages=2,width=8,patch=4,classes=5",
        "resnet110:shortcut=B,norm=batch,width=4,classes=100",
        "resnet34:classes=11", "resnet101:classes=11", "densenet169:classes=5",
        "mobilenetv2:se=false,classes=8", "mobilenetv2:se=true,classes=8",
        "convnext_small:classes=3",
        "convmixer:depth=3,width=24,kernel=7,patch=4,norm=batch,classes=6",
        "residual_mlp:depth=2,width=20,hidden=30,in=40,out=5",
        // One unit is one head.
        "gpt2:depth=1,width=1,heads=1,vocab=9,context=32,tie=true,names=base",
        // Heads of two: rotations leave no other size.
        "llama:depth=1,width=6,heads=3,kv_heads=1,mlp=9,vocab=5,tie=true",
        "lstm:input=dense,in=5,width=6,layers=2,bidirectional=true,classes=3",
        "lstm:input=tokens,in=5,width=6,layers=1,bidirectional=false,classes=3,"
        "vocab=20"}) {
    EXPECT_EQ(RecogniseZeros(text), text);
  }
}

struct Named {
  std::string said, text;
};

TEST(IdentifyModel, FillsInWhatATextLeavesOpen) {
  for (const Named& row : std::vector<Named>{
           {"vit:heads=2",
            "vit:depth=2,width=128,heads=2,mlp=99,patch=8,image=32,classes=4,"
            "names=index"},
           {"vit:heads=3",
            "vit:depth=1,width=192,heads=3,mlp=99,patch=16,image=32,classes=4,"
            "names=linear"},
           {"gpt2:heads=2",
            "gpt2:depth=3,width=128,heads=2,vocab=99,context=32,tie=true,"
            "names=base"},
           {"gpt2:heads=4,tie=false",
            "gpt2:depth=1,width=1024,heads=4,vocab=99,context=32,tie=false,"
            "names=lm"},
           {"llama:heads=4,tie=false",
            "llama:depth=2,width=256,heads=4,kv_heads=2,mlp=99,vocab=50,"
            "tie=false"},
           {"llama:kv_heads=8",
            "llama:depth=1,width=256,heads=8,kv_heads=8,mlp=99,vocab=50,"
            "tie=true"},
           {"llama:heads=4",
            "llama:depth=1,width=50,heads=4,kv_heads=2,head_dim=16,mlp=99,"
            "vocab=50,tie=true"},
           {"vgg16:norm=layer",
            "vgg16:norm=layer,head=cifar,classes=100,width=1,divide=1"},
           {"resnet20:norm=layer",
            "resnet20:shortcut=B,norm=layer,width=4,classes=100"},
           {"resnet110:norm=group,groups=8",
            "resnet110:shortcut=A,norm=group,groups=8,width=2,classes=10"},
           {"convmixer:norm=instance",
            "convmixer:depth=1,width=24,kernel=5,patch=1,norm=instance,"
            "classes=6"}}) {
    EXPECT_EQ(RecogniseZeros(row.text, row.said), row.text);
    EXPECT_EQ(RecogniseZeros(row.text, row.text), row.text);
    ExpectError(ErrorCode::kMismatch, {"do not show"},
                [&] { RecogniseZeros(row.text); });
  }
}

TEST(IdentifyModel, BelievesWhatAFileSaysOfItself) {
  const std::string text =
      "vit:depth=1,width=24,heads=3,mlp=9,patch=8,image=16";
  const Checkpoint model(ZeroTensors(ZooGraph(text)), {{kModelKey, text}});
  EXPECT_EQ(RecogniseModel(model), text);
  ExpectError(ErrorCode::kMismatch, {"heads=2", "heads=3"},
              [&] { Identify(model, "vit:heads=2"); });
  // Metadata that is not understood is not in the way of who knows better.
  const Checkpoint strange(model.tensors(), {{kModelKey, "future:heads=3"}});
  EXPECT_THAT(Identify(strange, "vit:heads=3"), StartsWith("vit:depth=1"));
  ExpectError(ErrorCode::kUnsupported, {"future"},
              [&] { RecogniseModel(strange); });
}

TEST(FullZooText, IsEqualForTextsThatMeanTheSame) {
  EXPECT_EQ(FullZooText("mlp"), FullZooText("mlp:names=fc,width=512"));
  EXPECT_NE(FullZooText("mlp"), FullZooText("mlp:width=511"));
  EXPECT_EQ(FullZooText("vit:width=128"), FullZooText("vit:heads=2,width=128"));
}

TEST(ZooText, WritesOutWhatIsDerived) {
  EXPECT_EQ(ZooText("vit:width=128"), "vit:width=128,heads=2");
  EXPECT_EQ(ZooText("llama:width=256"), "llama:width=256,heads=4,kv_heads=4");
  EXPECT_EQ(ZooText("mlp:width=8"), "mlp:width=8");
}

TEST(RecogniseModel, AcceptsCountersMasksAndTables) {
  auto tensors = ZeroTensors(ZooGraph("resnet20"));
  tensors.push_back(Zeros("bn1.num_batches_tracked", {}, DType::kI64));
  EXPECT_EQ(RecogniseModel(Checkpoint(tensors)),
            "resnet20:shortcut=A,norm=batch,width=1,classes=10");
  tensors = ZeroTensors(ZooGraph("gpt2:depth=1,context=16"));
  tensors.push_back(Zeros("h.0.attn.bias", {1, 1, 16, 16}));
  EXPECT_THAT(Identify(Checkpoint(tensors), "gpt2:heads=12"),
              StartsWith("gpt2:"));
}

TEST(RecogniseModel, ReadsTheHeadsOffATableOfRotations) {
  const std::string text =
      "llama:depth=1,width=256,heads=8,kv_heads=4,mlp=99,vocab=50,tie=true";
  auto tensors = ZeroTensors(ZooGraph(text));
  tensors.push_back(
      Zeros("model.layers.0.self_attn.rotary_emb.inv_freq", {16}));
  EXPECT_EQ(RecogniseModel(Checkpoint(tensors)), text);
}

TEST(RecogniseModel, NamesTheNearestAndItsFirstDifference) {
  auto tensors = ZeroTensors(ZooGraph("resnet20"));
  std::erase_if(tensors, [](const Tensor& t) {
    return t.name == "layer2.1.conv2.weight";
  });
  ExpectError(
      ErrorCode::kMismatch,
      {"no built-in architecture fits", "the nearest is resnet20:shortcut=A",
       "tensor \"layer2.1.conv2.weight\" is missing"},
      [&] { RecogniseModel(Checkpoint(tensors)); });
  tensors.push_back(Zeros("layer2.1.conv2.weight", {32, 32, 1, 1}));
  ExpectError(ErrorCode::kMismatch, {"is [32, 32, 1, 1], not [32, 32, 3, 3]"},
              [&] { RecogniseModel(Checkpoint(tensors)); });
  tensors.back() = Zeros("layer2.1.conv2.weight", {32, 32, 3, 3});
  tensors.push_back(Zeros("teacher.weight", {2, 2}));
  ExpectError(ErrorCode::kMismatch,
              {"tensor \"teacher.weight\" is not part of it"},
              [&] { RecogniseModel(Checkpoint(tensors)); });
}

TEST(RecogniseModel, RefusesWhatIsNearNothing) {
  ExpectError(ErrorCode::kMismatch, {"no architecture is similar"},
              [] { RecogniseModel(Checkpoint()); });
  const Checkpoint other({Zeros("a", {2}), Zeros("conv1.weight", {})});
  ExpectError(ErrorCode::kMismatch, {"no architecture is similar"},
              [&] { RecogniseModel(other); });
}

TEST(RecogniseModel, SurvivesSizesThatNothingHas) {
  constexpr int64_t kHuge = int64_t{1} << 40;
  const Checkpoint strange(
      {Zeros("conv_proj.weight", {64, 0, kHuge}),
       Zeros("encoder.pos_embedding", {0, kHuge}),
       Zeros("encoder.layers.encoder_layer_0.ln_1.weight", {0}),
       Zeros("model.embed_tokens.weight", {0, kHuge}),
       Zeros("model.layers.0.self_attn.rotary_emb.inv_freq", {kHuge, 0})});
  ExpectError(ErrorCode::kMismatch, {"no architecture is similar"},
              [&] { RecogniseModel(strange); });
}

TEST(RecogniseModel, RefusesToChooseBetweenTwo) {
  std::vector<zoo::Architecture> two = zoo::MlpArchitectures();
  two.push_back(two.front());
  two.back().entry.name = "perceptron";
  const Checkpoint model(ZeroTensors(ZooGraph("mlp")));
  ExpectError(
      ErrorCode::kMismatch,
      {"more than one architecture fits", "mlp:depth=3", "perceptron:depth=3"},
      [&] { zoo::Recognise(model, two); });
}

}  // namespace
}  // namespace rebasin
