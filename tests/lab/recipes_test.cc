#include "lab/recipes.h"

#include <gtest/gtest.h>

namespace rebasin::lab {
namespace {

Task TaskOf(const std::string& name, const Shape& shape, int64_t classes) {
  std::vector<uint8_t> pixels(
      static_cast<size_t>(shape[0] * shape[1] * shape[2]));
  Task task{.name = name};
  task.data.train = Dataset(name + " train", shape, pixels, {0}, classes);
  return task;
}
Task Mnist() { return TaskOf("MNIST", {1, 28, 28}, 10); }
Task Cifar() { return TaskOf("CIFAR-10", {3, 32, 32}, 10); }

Lab LabFor(Preset preset) {
  LabOptions options;
  options.preset = preset;
  return Lab(options);
}

// What all presets have in common: everything but epochs and seed.
void ExpectSameRecipe(Recipe shorter, const Recipe& paper) {
  const double share =
      static_cast<double>(shorter.epochs) / static_cast<double>(paper.epochs);
  EXPECT_EQ(shorter.optimizer, paper.optimizer);
  EXPECT_EQ(shorter.learning_rate, paper.learning_rate);
  EXPECT_EQ(shorter.momentum, paper.momentum);
  EXPECT_EQ(shorter.weight_decay, paper.weight_decay);
  EXPECT_EQ(shorter.schedule, paper.schedule);
  EXPECT_EQ(shorter.batch_size, paper.batch_size);
  EXPECT_EQ(shorter.initialization, paper.initialization);
  EXPECT_EQ(shorter.augmentation.degrees, paper.augmentation.degrees);
  EXPECT_EQ(shorter.augmentation.min_scale, paper.augmentation.min_scale);
  EXPECT_EQ(shorter.augmentation.max_scale, paper.augmentation.max_scale);
  EXPECT_EQ(shorter.augmentation.flip, paper.augmentation.flip);
  EXPECT_EQ(shorter.augmentation.crop, paper.augmentation.crop);
  EXPECT_DOUBLE_EQ(shorter.warmup_epochs, share * paper.warmup_epochs);
}

std::vector<Training> AllTrainings(const Lab& lab) {
  return {MnistMlp(lab, Mnist()),        CifarMlp(lab, Cifar()),
          CifarMlpByAdam(lab, Cifar()),  CifarVgg(lab, Cifar(), 1),
          CifarResNet(lab, Cifar(), 32), MnistVgg(lab, Mnist(), 1),
          CifarConvNext(lab, Cifar()),   CifarVgg11(lab, Cifar(), 1)};
}

TEST(RecipesTest, ShorterPresetsChangeOnlyTheNumberOfEpochs) {
  const auto paper = AllTrainings(LabFor(Preset::kPaper));
  for (const Preset preset : {Preset::kQuick, Preset::kFull}) {
    const auto shorter = AllTrainings(LabFor(preset));
    for (size_t i = 0; i < paper.size(); ++i) {
      SCOPED_TRACE(paper[i].name);
      EXPECT_LT(shorter[i].recipe.epochs, paper[i].recipe.epochs);
      ExpectSameRecipe(shorter[i].recipe, paper[i].recipe);
      EXPECT_TRUE(shorter[i].subset.empty());
    }
  }
}

TEST(RecipesTest, TheScheduleKeepsItsShape) {
  const Recipe paper = CifarVgg(LabFor(Preset::kPaper), Cifar(), 1).recipe;
  const Recipe quick = CifarVgg(LabFor(Preset::kQuick), Cifar(), 1).recipe;
  constexpr int64_t kSteps = 500;
  const int64_t factor = paper.epochs / quick.epochs;
  for (const int64_t step : {0, 10, 25, 100, 1000, 2400}) {
    EXPECT_NEAR(LearningRateAt(quick, step, kSteps),
                LearningRateAt(paper, factor * step, kSteps), 1e-9);
  }
}

TEST(RecipesTest, ThePaperHasItsEpochsAndBatches) {
  const Lab lab = LabFor(Preset::kPaper);
  const Recipe mnist = MnistMlp(lab, Mnist()).recipe;
  EXPECT_EQ(mnist.optimizer, OptimizerKind::kAdam);
  EXPECT_EQ(mnist.epochs, 100);
  EXPECT_EQ(mnist.batch_size, 500);
  EXPECT_FALSE(mnist.augmentation.any());
  const Recipe sgd = CifarMlp(lab, Cifar()).recipe;
  EXPECT_EQ(sgd.optimizer, OptimizerKind::kSgd);
  EXPECT_EQ(sgd.learning_rate, 0.1);
  EXPECT_EQ(sgd.batch_size, 100);
  EXPECT_TRUE(sgd.augmentation.any());
  const Recipe adam = CifarMlpByAdam(lab, Cifar()).recipe;
  EXPECT_EQ(adam.optimizer, OptimizerKind::kAdam);
  EXPECT_EQ(adam.learning_rate, 1e-3);
  EXPECT_EQ(adam.weight_decay, 0);
  EXPECT_EQ(adam.schedule, Schedule::kConstant);
  EXPECT_TRUE(adam.augmentation.any());
  EXPECT_EQ(CifarResNet(lab, Cifar(), 32).recipe.epochs, 250);
}

TEST(RecipesTest, EpochsMayBeAskedForUpToThePapers) {
  LabOptions options;
  options.epochs = 60;
  EXPECT_EQ(CifarResNet(Lab(options), Cifar(), 32).shortened,
            "60 of 250 epochs");
  options.epochs = 120;
  const Training vgg = CifarVgg(Lab(options), Cifar(), 1);
  EXPECT_EQ(vgg.recipe.epochs, 100);
  EXPECT_EQ(vgg.shortened, "");
}

TEST(RecipesTest, OnlyShortenedNetworksSaySo) {
  const Lab paper = LabFor(Preset::kPaper), quick = LabFor(Preset::kQuick);
  EXPECT_EQ(CifarVgg(paper, Cifar(), 1).shortened, "");
  EXPECT_EQ(CifarResNet(paper, Cifar(), 32).shortened, "");
  EXPECT_EQ(CifarVgg(paper, Cifar(), 8).shortened, "1/8 of the width");
  EXPECT_EQ(MnistMlp(quick, Mnist()).shortened, "10 of 100 epochs");
  EXPECT_EQ(CifarResNet(quick, Cifar(), 1).shortened,
            "5 of 250 epochs, 1/32 of the width");
}

}  // namespace
}  // namespace rebasin::lab
