#include "lab/recipes.h"

#include "lab/pair.h"

namespace rebasin::lab {
namespace {

// Quick networks see a part of the images.
void Shorten(Training& training, const Task& task, int64_t images) {
  if (images >= task.data.train.size()) return;
  training.train = SelectFirst(task.data.train, images);
  training.subset = "first " + std::to_string(images);
}

}  // namespace

std::string MlpFor(const Task& task, const std::string& options) {
  return "mlp:in=" + std::to_string(task.data.train.example_size()) +
         ",out=" + std::to_string(task.data.train.classes()) +
         (options.empty() ? "" : "," + options);
}

Training MnistMlp(const Lab& lab, const Task& mnist) {
  Training training{.model = MlpFor(mnist), .recipe = NamedRecipe("mlp")};
  training.recipe.epochs = lab.By<int64_t>(10, 30, 100);
  return training;
}

Training CifarMlp(const Lab& lab, const Task& cifar) {
  Training training{.model = MlpFor(cifar), .recipe = NamedRecipe("mlp")};
  training.recipe.epochs = lab.By<int64_t>(10, 30, 100);
  return training;
}

Training CifarResNet(const Lab& lab, const Task& cifar, int width) {
  Training training{
      .model = "resnet20:shortcut=B,norm=layer,width=" + std::to_string(width),
      .recipe = NamedRecipe("resnet")};
  training.recipe.epochs = lab.By<int64_t>(4, 20, 250);
  Shorten(training, cifar, lab.By<int64_t>(6000, 50000, 50000));
  return training;
}

Training CifarVgg(const Lab& lab, const Task& cifar, int divide) {
  Training training{.model = "vgg16:norm=layer,head=cifar,classes=10,divide=" +
                             std::to_string(divide),
                    .recipe = NamedRecipe("vgg")};
  training.recipe.epochs = lab.By<int64_t>(4, 20, 100);
  Shorten(training, cifar, lab.By<int64_t>(6000, 50000, 50000));
  return training;
}

Training CifarConvMixer(const Lab& lab, const Task& cifar) {
  Training training{.model = "convmixer:depth=4,width=64,patch=4,norm=layer",
                    .recipe = NamedRecipe("mlp")};
  training.recipe.epochs = lab.By<int64_t>(10, 30, 100);
  Shorten(training, cifar, lab.By<int64_t>(10000, 50000, 50000));
  return training;
}

}  // namespace rebasin::lab
