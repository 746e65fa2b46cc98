#include <gtest/gtest.h>

#include "rebasin/nn/train.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

constexpr int64_t kSteps = 10;  // an epoch

TEST(Recipe, StaysAtItsRateIfConstant) {
  const Recipe recipe{.learning_rate = 0.5, .epochs = 4};
  for (int64_t step : {0, 1, 17, 39, 40}) {
    EXPECT_DOUBLE_EQ(LearningRateAt(recipe, step, kSteps), 0.5);
  }
}

TEST(Recipe, WarmsUpInALine) {
  const Recipe recipe{
      .learning_rate = 1, .warmup_epochs = 2, .warmup_start = 0.2, .epochs = 4};
  EXPECT_DOUBLE_EQ(LearningRateAt(recipe, 0, kSteps), 0.2);
  EXPECT_DOUBLE_EQ(LearningRateAt(recipe, 10, kSteps), 0.6);
  EXPECT_DOUBLE_EQ(LearningRateAt(recipe, 20, kSteps), 1);
  EXPECT_DOUBLE_EQ(LearningRateAt(recipe, 39, kSteps), 1);
}

TEST(Recipe, FallsToZeroAlongACosine) {
  const Recipe recipe{.learning_rate = 1,
                      .warmup_epochs = 1,
                      .warmup_start = 0,
                      .schedule = Schedule::kCosine,
                      .epochs = 5};
  EXPECT_DOUBLE_EQ(LearningRateAt(recipe, 0, kSteps), 0);
  EXPECT_DOUBLE_EQ(LearningRateAt(recipe, 10, kSteps), 1);
  EXPECT_DOUBLE_EQ(LearningRateAt(recipe, 30, kSteps), 0.5);
  EXPECT_NEAR(LearningRateAt(recipe, 50, kSteps), 0, 1e-15);
  double before = 2;
  for (int64_t step = 10; step < 50; ++step) {
    EXPECT_LT(LearningRateAt(recipe, step, kSteps), before);
    before = LearningRateAt(recipe, step, kSteps);
  }
  EXPECT_GT(before, 0);
}

TEST(Recipe, MayWarmUpAllTheWay) {
  const Recipe recipe{.learning_rate = 1,
                      .warmup_epochs = 3,
                      .warmup_start = 0,
                      .schedule = Schedule::kCosine,
                      .epochs = 3};
  EXPECT_DOUBLE_EQ(LearningRateAt(recipe, 29, kSteps), 29.0 / 30);
  EXPECT_DOUBLE_EQ(LearningRateAt(recipe, 30, kSteps), 1);
}

TEST(Recipe, OfThePaperIsKnownByName) {
  EXPECT_EQ(RecipeNames(),
            (std::vector<std::string>{"mlp", "cifar-mlp", "vgg", "resnet"}));
  const Recipe mlp = NamedRecipe("mlp");
  EXPECT_EQ(mlp.optimizer, OptimizerKind::kAdam);
  EXPECT_EQ(mlp.learning_rate, 1e-3);
  EXPECT_EQ(mlp.batch_size, 500);
  EXPECT_EQ(mlp.epochs, 100);
  EXPECT_FALSE(mlp.augmentation.any());
  const Recipe resnet = NamedRecipe("resnet");
  EXPECT_EQ(resnet.optimizer, OptimizerKind::kSgd);
  EXPECT_EQ(resnet.learning_rate, 0.1);
  EXPECT_EQ(resnet.momentum, 0.9);
  EXPECT_EQ(resnet.weight_decay, 1e-4);
  EXPECT_EQ(resnet.warmup_epochs, 5);
  EXPECT_EQ(resnet.epochs, 250);
  EXPECT_TRUE(resnet.augmentation.any());
  for (const char* name : {"cifar-mlp", "vgg"}) {
    const Recipe recipe = NamedRecipe(name);
    EXPECT_EQ(recipe.epochs, 100) << name;
    EXPECT_EQ(recipe.weight_decay, 5e-4) << name;
    EXPECT_EQ(recipe.warmup_epochs, 1) << name;
    EXPECT_TRUE(recipe.augmentation.any()) << name;
  }
}

TEST(Recipe, OfThePaperStartsLikeFlax) {
  for (const std::string& name : RecipeNames()) {
    EXPECT_EQ(NamedRecipe(name).initialization, Initialization::kLecun) << name;
  }
}

TEST(Recipe, OfAnotherNameIsNone) {
  ExpectError(ErrorCode::kUsage, {"\"soup\"", "mlp, cifar-mlp, vgg and resnet"},
              [] { NamedRecipe("soup"); });
}

}  // namespace
}  // namespace rebasin
