// The networks of the experiments: the paper's recipes, shortened as presets
// ask for.

#ifndef REBASIN_LAB_RECIPES_H_
#define REBASIN_LAB_RECIPES_H_

#include "lab/lab.h"

namespace rebasin::lab {

// Three hidden layers of 512, Adam.
Training MnistMlp(const Lab& lab, const Task& mnist);
Training CifarMlp(const Lab& lab, const Task& cifar);
// LayerNorm, SGD, one cosine, augmentation; quick ones have none.
Training CifarResNet(const Lab& lab, const Task& cifar, int width);
Training CifarVgg(const Lab& lab, const Task& cifar, int divide);
// Depth-wise convolutions: each channel has a filter of its own, and little
// beside it that tells it from others. LayerNorm, Adam.
Training CifarConvMixer(const Lab& lab, const Task& cifar);

// "mlp:in=784,out=10": the MLP that fits the data.
std::string MlpFor(const Task& task, const std::string& options = "");

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_RECIPES_H_
