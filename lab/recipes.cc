#include "lab/recipes.h"

#include "lab/pair.h"

namespace rebasin::lab {
namespace {

// Quick networks are trained on a part of the images.
void Shorten(Training& training, const Task& task, int64_t images) {
  if (images >= task.data.train.size()) return;
  training.train = SelectFirst(task.data.train, images);
  training.subset = "first " + std::to_string(images);
}

// The paper's recipes for convolutions are made for hundreds of epochs; in a
// few minutes, networks learn nothing with them. Quick recipes use small steps
// on small batches, more weight decay and no augmentation. Of a few recipes
// tried, these gave the networks that merged best.
Recipe ShortenedRecipe(Recipe recipe) {
  recipe.learning_rate = 0.03;
  recipe.weight_decay = 2e-3;
  recipe.warmup_epochs = 0.5;
  recipe.batch_size = 50;
  recipe.epochs = 5;
  recipe.augmentation = {};
  return recipe;
}

void ChooseRecipe(const Lab& lab, Training& training, const Task& task,
                  const char* recipe, int64_t quick_images, int64_t full_epochs,
                  int64_t paper_epochs) {
  training.recipe = NamedRecipe(recipe);
  if (lab.options().preset == Preset::kQuick) {
    training.recipe = ShortenedRecipe(training.recipe);
    Shorten(training, task, quick_images);
  } else {
    training.recipe.epochs =
        lab.ForPreset(full_epochs, full_epochs, paper_epochs);
  }
}

}  // namespace

std::string MlpFor(const Task& task, const std::string& options) {
  return "mlp:in=" + std::to_string(task.data.train.example_size()) +
         ",out=" + std::to_string(task.data.train.classes()) +
         (options.empty() ? "" : "," + options);
}

Training MnistMlp(const Lab& lab, const Task& mnist) {
  Training training{.model = MlpFor(mnist), .recipe = NamedRecipe("mlp")};
  training.recipe.epochs = lab.ForPreset<int64_t>(10, 30, 100);
  return training;
}

Training CifarMlp(const Lab& lab, const Task& cifar) {
  Training training{.model = MlpFor(cifar), .recipe = NamedRecipe("mlp")};
  training.recipe.epochs = lab.ForPreset<int64_t>(10, 30, 100);
  return training;
}

Training CifarResNet(const Lab& lab, const Task& cifar, int width) {
  Training training{.model = "resnet20:shortcut=B,norm=layer,width=" +
                             std::to_string(width)};
  ChooseRecipe(lab, training, cifar, "resnet", 10000, 10, 250);
  return training;
}

Training CifarVgg(const Lab& lab, const Task& cifar, int divide) {
  Training training{.model = "vgg16:norm=layer,head=cifar,classes=10,divide=" +
                             std::to_string(divide)};
  ChooseRecipe(lab, training, cifar, "vgg", 20000, 10, 100);
  return training;
}

Training CifarConvMixer(const Lab& lab, const Task& cifar) {
  Training training{.model = "convmixer:depth=4,width=64,patch=4,norm=layer",
                    .recipe = NamedRecipe("mlp")};
  training.recipe.epochs = lab.ForPreset<int64_t>(10, 30, 100);
  Shorten(training, cifar, lab.ForPreset<int64_t>(10000, 50000, 50000));
  return training;
}

}  // namespace rebasin::lab
