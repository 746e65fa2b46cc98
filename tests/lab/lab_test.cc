#include "lab/lab.h"

#include <gtest/gtest.h>

#include "lab/digest.h"
#include "lab/laboratory.h"
#include "lab/pair.h"
#include "rebasin/error.h"
#include "rebasin/merge.h"
#include "support/expect_error.h"

namespace rebasin::lab {
namespace {

Training SmallTraining() {
  Training training{.model = "mlp:depth=1,width=8,in=64"};
  training.recipe.epochs = 3;
  training.recipe.seed = 5;
  training.recipe.batch_size = 100;
  return training;
}

TEST(LabTest, NetworksAreTrainedOnce) {
  const TempDir folder;
  int64_t steps = 0;
  LabOptions options = SmallLab(folder);
  options.run.progress = [&](const Progress& now) {
    steps += now.stage.starts_with("training") ? 1 : 0;
  };
  const Checkpoint first =
      Lab(options).Train(Lab(options).Mnist(), SmallTraining());
  const int64_t once = steps;
  EXPECT_GT(once, 0);
  Lab lab(options);
  EXPECT_TRUE(SameContent(first, lab.Train(lab.Mnist(), SmallTraining())));
  EXPECT_EQ(steps, once);
  Training other = SmallTraining();
  other.recipe.seed = 6;
  EXPECT_FALSE(SameContent(first, lab.Train(lab.Mnist(), other)));
  EXPECT_GT(steps, once);
}

TEST(LabTest, SaysWhereNetworksAreStored) {
  const TempDir folder;
  Lab lab(SmallLab(folder));
  const auto file = lab.NetworkFile(lab.Mnist(), SmallTraining(), 3);
  EXPECT_FALSE(std::filesystem::exists(file));
  const Checkpoint model = lab.Train(lab.Mnist(), SmallTraining());
  EXPECT_TRUE(SameContent(model, Checkpoint::Open(file)));
}

TEST(LabTest, KeptEpochsAreThoseOfTheTraining) {
  const TempDir folder;
  Lab lab(SmallLab(folder));
  const auto models =
      lab.TrainWithCheckpoints(lab.Mnist(), SmallTraining(), {1, 3});
  ASSERT_EQ(models.size(), 2u);
  EXPECT_FALSE(SameContent(models[0], models[1]));
  EXPECT_TRUE(SameContent(models[1], lab.Train(lab.Mnist(), SmallTraining())));
}

TEST(LabTest, InterruptedTrainingGoesOnToTheSameNetwork) {
  const TempDir folder, other;
  LabOptions options = SmallLab(folder);
  int asked = 0;
  options.run.stop = [&] { return ++asked > 7; };
  Lab lab(options);
  ExpectError(ErrorCode::kStopped, {"stopped"},
              [&] { lab.Train(lab.Mnist(), SmallTraining()); });
  Lab again(SmallLab(folder));
  Lab fresh(SmallLab(other));
  EXPECT_TRUE(SameContent(again.Train(again.Mnist(), SmallTraining()),
                          fresh.Train(fresh.Mnist(), SmallTraining())));
}

TEST(LabTest, MeasurementsAreRemembered) {
  const TempDir folder;
  int measured = 0;
  const auto measure = [&] { return Json(++measured); };
  Lab lab(SmallLab(folder));
  EXPECT_EQ(lab.Memoized("a / b", measure), 1);
  EXPECT_EQ(Lab(SmallLab(folder)).Memoized("a / b", measure), 1);
  EXPECT_EQ(lab.Memoized("a _ b 2", measure), 2);
  LabOptions seeded = SmallLab(folder);
  seeded.run.seed = 9;
  EXPECT_EQ(Lab(seeded).Memoized("a / b", measure), 3);
  lab.CleanUp();
  EXPECT_EQ(lab.Memoized("a / b", measure), 4);
}

TEST(LabTest, DataIsNormalisedAsInThePaper) {
  const TempDir folder;
  Lab lab(SmallLab(folder));
  EXPECT_EQ(lab.Mnist().normalize, "none");
}

TEST(LabTest, WantsAllNetworksUnlessSomeAreNamed) {
  const TempDir folder;
  LabOptions options = SmallLab(folder);
  EXPECT_TRUE(Lab(options).Wants("mnist-mlp"));
  options.only = {"cifar-mlp"};
  EXPECT_TRUE(Lab(options).Wants("cifar-mlp"));
  EXPECT_FALSE(Lab(options).Wants("mnist-mlp"));
}

TEST(LabTest, ColourDigitsHaveThirtyTwoPixelsASide) {
  const TempDir folder;
  Lab lab(SmallLab(folder));
  const Task& task = lab.MnistAsColour();
  EXPECT_EQ(task.data.train.example_shape(), (Shape{3, 32, 32}));
  EXPECT_EQ(task.data.train.size(), lab.Mnist().data.train.size());
}

TEST(LabTest, MissingDataIsAnErrorThatSaysWhatToDo) {
  LabOptions options;
  options.mnist = "/nowhere";
  Lab lab(options);
  try {
    lab.Mnist();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_NE(error.hint().find("get-data mnist"), std::string::npos);
  }
}

TEST(DigestTest, TellsDataApart) {
  const TempDir folder;
  Lab lab(SmallLab(folder));
  const Dataset& data = lab.Mnist().data.train;
  EXPECT_EQ(DataDigest(data), DataDigest(data));
  EXPECT_NE(DataDigest(data), DataDigest(SelectFirst(data, data.size() - 1)));
  EXPECT_NE(DataDigest(data), DataDigest(lab.Mnist().data.test));
  EXPECT_EQ(TextDigest(""), "cbf29ce484222325");
}

}  // namespace
}  // namespace rebasin::lab
