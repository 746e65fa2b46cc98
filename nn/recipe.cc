#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "rebasin/error.h"
#include "rebasin/nn/train.h"

namespace rebasin {
namespace {

Recipe ConvolutionalRecipe(int64_t epochs) {
  return {.optimizer = OptimizerKind::kSgd,
          .learning_rate = 0.1,
          .weight_decay = 5e-4,
          .warmup_epochs = 1,
          .schedule = Schedule::kCosine,
          .epochs = epochs,
          .batch_size = 100,
          .augmentation = PaperAugmentation()};
}

std::vector<std::pair<std::string, Recipe>> NamedRecipes() {
  // The paper's MLPs are initialised like flax's dense layers. This matters:
  // what remains of the initial weights is noise that no alignment removes.
  return {{"mlp", Recipe{.initialization = Initialization::kLecun}},
          {"vgg", ConvolutionalRecipe(100)},
          {"resnet", ConvolutionalRecipe(250)}};
}

}  // namespace

Recipe NamedRecipe(const std::string& name) {
  for (const auto& [known, recipe] : NamedRecipes()) {
    if (known == name) return recipe;
  }
  throw Error(ErrorCode::kUsage, "no recipe " + Quoted(name),
              "there are mlp, vgg and resnet");
}

std::vector<std::string> RecipeNames() {
  std::vector<std::string> names;
  for (const auto& [name, recipe] : NamedRecipes()) names.push_back(name);
  return names;
}

std::string RecipeNameFor(const std::string& model) {
  if (model.starts_with("mlp")) return "mlp";
  return model.starts_with("vgg") ? "vgg" : "resnet";
}

double LearningRateAt(const Recipe& recipe, int64_t step,
                      int64_t steps_per_epoch) {
  const auto at = static_cast<double>(step);
  const double warmup =
      recipe.warmup_epochs * static_cast<double>(steps_per_epoch);
  if (at < warmup) {
    return recipe.warmup_start +
           (recipe.learning_rate - recipe.warmup_start) * at / warmup;
  }
  if (recipe.schedule == Schedule::kConstant) return recipe.learning_rate;
  const auto all = static_cast<double>(steps_per_epoch * recipe.epochs);
  const double share =
      std::min((at - warmup) / std::max(all - warmup, 1.0), 1.0);
  return recipe.learning_rate * (1 + std::cos(std::numbers::pi * share)) / 2;
}

}  // namespace rebasin
