// The networks of the experiments: the paper's recipes, shortened for smaller
// presets.

#ifndef REBASIN_LAB_RECIPES_H_
#define REBASIN_LAB_RECIPES_H_

#include "lab/lab.h"

namespace rebasin::lab {

// Three hidden layers of 512, Adam.
Training MnistMlp(const Lab& lab, const Task& mnist);
Training CifarMlp(const Lab& lab, const Task& cifar);
// LayerNorm, SGD, one cosine, augmentation (not in the quick preset).
Training CifarResNet(const Lab& lab, const Task& cifar, int width);
Training CifarVgg(const Lab& lab, const Task& cifar, int divide);
// Depth-wise convolutions: each channel has its own small filter, and little
// else distinguishes it from others. LayerNorm, Adam.
Training CifarConvMixer(const Lab& lab, const Task& cifar);

// The MLP for the data: "mlp:in=784,out=10".
std::string MlpFor(const Task& task, const std::string& options = "");

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_RECIPES_H_
