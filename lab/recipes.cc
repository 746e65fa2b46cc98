#include "lab/recipes.h"

#include <algorithm>

#include "base/text.h"

namespace rebasin::lab {
namespace {

void Add(std::string& list, const std::string& text) {
  list += (list.empty() ? "" : ", ") + text;
}

// The epochs that were asked for, or the preset's; those of the paper are the
// recipe's own.
void ShortenByPreset(const Lab& lab, Training& training, int64_t quick,
                     int64_t full) {
  const int64_t paper = training.recipe.epochs, asked = lab.options().epochs;
  Shorten(training, asked > 0 ? std::min(asked, paper)
                              : lab.ForPreset(quick, full, paper));
}

std::string ClassesOf(const Task& task) {
  return std::to_string(task.data.train.classes());
}

Training Mlp(const Task& task, const char* recipe) {
  return {.name = "MLP on " + task.name,
          .model = MlpFor(task),
          .recipe = NamedRecipe(recipe)};
}

}  // namespace

void Shorten(Training& training, int64_t epochs) {
  Recipe& recipe = training.recipe;
  if (epochs == recipe.epochs) return;
  Add(training.shortened,
      std::to_string(epochs) + " of " + Count(recipe.epochs, "epoch"));
  recipe.warmup_epochs *=
      static_cast<double>(epochs) / static_cast<double>(recipe.epochs);
  recipe.epochs = epochs;
}

void Narrow(Training& training, int divide) {
  if (divide == 1) return;
  Add(training.shortened, "1/" + std::to_string(divide) + " of the width");
}

std::string MlpFor(const Task& task, const std::string& options) {
  return "mlp:in=" + std::to_string(task.data.train.example_size()) +
         ",out=" + ClassesOf(task) + (options.empty() ? "" : "," + options);
}

Training MnistMlp(const Lab& lab, const Task& mnist) {
  Training training = Mlp(mnist, "mlp");
  ShortenByPreset(lab, training, 10, 30);
  return training;
}

Training CifarMlp(const Lab& lab, const Task& cifar) {
  Training training = Mlp(cifar, "cifar-mlp");
  ShortenByPreset(lab, training, 5, 25);
  return training;
}

// Text and code differ in the batch size, too; this is the code's with the
// option of Adam, which has a constant rate and no weight decay.
Training CifarMlpByAdam(const Lab& lab, const Task& cifar) {
  Training training = Mlp(cifar, "cifar-mlp");
  training.name += ", Adam";
  Recipe& recipe = training.recipe;
  recipe.optimizer = OptimizerKind::kAdam;
  recipe.learning_rate = 1e-3;
  recipe.weight_decay = 0;
  recipe.warmup_epochs = 0;
  recipe.schedule = Schedule::kConstant;
  ShortenByPreset(lab, training, 5, 25);
  return training;
}

Training CifarVgg(const Lab& lab, const Task& cifar, int divide,
                  const std::string& norm) {
  Training training{.name = "VGG16 on " + cifar.name,
                    .model = "vgg16:norm=" + norm +
                             ",head=dense,classes=" + ClassesOf(cifar) +
                             ",divide=" + std::to_string(divide),
                    .recipe = NamedRecipe("vgg")};
  ShortenByPreset(lab, training, 5, 10);
  Narrow(training, divide);
  return training;
}

Training CifarVgg11(const Lab& lab, const Task& cifar, int divide) {
  Training training{.name = "VGG11 on " + cifar.name,
                    .model = "vgg11:head=cifar,classes=" + ClassesOf(cifar) +
                             ",divide=" + std::to_string(divide),
                    .recipe = NamedRecipe("vgg")};
  training.recipe.learning_rate = 0.05;
  training.recipe.epochs = 300;
  training.recipe.initialization = Initialization::kKaiming;
  ShortenByPreset(lab, training, 5, 15);
  Narrow(training, divide);
  return training;
}

Training MnistVgg(const Lab& lab, const Task& mnist, int divide) {
  Training training{
      .name = "VGG16 on " + mnist.name,
      .model = "vgg16:norm=layer,head=dense,classes=" + ClassesOf(mnist) +
               ",divide=" + std::to_string(divide),
      .recipe = NamedRecipe("vgg")};
  training.recipe.learning_rate = 1e-3;
  training.recipe.epochs = 25;
  training.recipe.augmentation = {};
  ShortenByPreset(lab, training, 3, 10);
  Narrow(training, divide);
  return training;
}

Training CifarConvNext(const Lab& lab, const Task& cifar) {
  Training training = CifarMlpByAdam(lab, cifar);
  training.name = "ConvNeXt on " + cifar.name;
  training.model =
      "convnext:width=" + std::to_string(lab.ForPreset(16, 32, 96)) +
      ",classes=" + ClassesOf(cifar);
  return training;
}

Training CifarResNet(const Lab& lab, const Task& cifar, int width,
                     const std::string& norm) {
  Training training{.name = "ResNet20 on " + cifar.name,
                    .model = "resnet20:shortcut=C,norm=" + norm +
                             ",classes=" + ClassesOf(cifar) +
                             ",width=" + std::to_string(width),
                    .recipe = NamedRecipe("resnet")};
  ShortenByPreset(lab, training, 5, 20);
  Narrow(training, kPaperResNetWidth / width);
  return training;
}

}  // namespace rebasin::lab
