#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rebasin/nn/data.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Normalization, IsKnownByName) {
  EXPECT_THAT(ParseNormalization("none").mean, IsEmpty());
  EXPECT_THAT(ParseNormalization("mnist").mean, ElementsAre(0.1307f));
  EXPECT_THAT(ParseNormalization("mnist").deviation, ElementsAre(0.3081f));
  EXPECT_THAT(ParseNormalization("cifar10").mean,
              ElementsAre(0.4914f, 0.4822f, 0.4465f));
  EXPECT_THAT(ParseNormalization("cifar100").deviation,
              ElementsAre(0.2673f, 0.2564f, 0.2762f));
  EXPECT_THAT(ParseNormalization("imagenet").deviation,
              ElementsAre(0.229f, 0.224f, 0.225f));
}

TEST(Normalization, IsReadFromNumbers) {
  const Normalization n = ParseNormalization("-0.5,1e-1/2,3");
  EXPECT_THAT(n.mean, ElementsAre(-0.5f, 0.1f));
  EXPECT_THAT(n.deviation, ElementsAre(2.0f, 3.0f));
}

TEST(Normalization, IsRefusedIfItCannotBeMeant) {
  for (const char* text :
       {"", "mnis", "0.5", "0.5/", "/0.5", "1,2/3", "1/0", "1/-1", "nan/1",
        "1/inf", "1 /2", "1/2,", "0x1/2", "1e99/1"}) {
    ExpectError(ErrorCode::kUsage, {"normalization", "imagenet"},
                [&] { ParseNormalization(text); });
  }
}

Dataset Named(const std::string& name, const Shape& shape) {
  const int64_t size = shape[0] * shape[1] * shape[2];
  return {name, shape, std::vector<uint8_t>(static_cast<size_t>(size)), {}, 0};
}

TEST(Normalization, FitsTheDataSetByDefault) {
  const auto fit = [](const std::string& name, const Shape& shape) {
    return DefaultNormalization(Named(name, shape));
  };
  EXPECT_EQ(fit("MNIST test", {1, 28, 28}), "mnist");
  EXPECT_EQ(fit("MNIST test", {1, 8, 8}), "none");
  EXPECT_EQ(fit("CIFAR-10 train", {3, 32, 32}), "cifar10");
  EXPECT_EQ(fit("CIFAR-100 train", {3, 32, 32}), "cifar100");
  EXPECT_EQ(fit("train.npz", {3, 32, 32}), "none");
  EXPECT_EQ(DefaultNormalization(Dataset()), "none");
}

Checkpoint Trained(const std::string& normalize) {
  return Checkpoint({}, {{kNormalizeKey, normalize}});
}

TEST(Normalization, IsWhatAllModelsWereTrainedWith) {
  const Checkpoint mnist = Trained("mnist"), halves = Trained("0.5/0.5"),
                   same = Trained("0.50/0.50"), silent;
  const auto agreed = [](const std::string& asked,
                         const std::vector<const Checkpoint*>& models) {
    return AgreedNormalization(asked, models);
  };
  EXPECT_EQ(agreed("", {}), "");
  EXPECT_EQ(agreed("", {&silent, &mnist}), "mnist");
  EXPECT_EQ(agreed("0.5/0.5", {&silent, &halves, &same}), "0.5/0.5");
  ExpectError(ErrorCode::kMismatch, {"\"mnist\"", "\"0.5/0.5\"", "model 3"},
              [&] {
                agreed("", {&mnist, &silent, &halves});
              });
  ExpectError(ErrorCode::kMismatch, {"--normalize", "\"none\"", "\"mnist\""},
              [&] { agreed("none", {&mnist}); });
}

}  // namespace
}  // namespace rebasin
