// The networks of the experiments and how they are trained. The preset `paper`
// has the paper's recipes. Others train for fewer epochs and take narrower
// networks, and change nothing else.

#ifndef REBASIN_LAB_RECIPES_H_
#define REBASIN_LAB_RECIPES_H_

#include "lab/lab.h"

namespace rebasin::lab {

// Three hidden layers of 512, Adam.
Training MnistMlp(const Lab& lab, const Task& mnist);
// The same layers, SGD with augmentation: the networks behind Figure 3.
Training CifarMlp(const Lab& lab, const Task& cifar);
// The same with Adam at 1e-3, as the paper's text has it for all MLPs.
Training CifarMlpByAdam(const Lab& lab, const Task& cifar);
// LayerNorm or another norm, SGD, one cosine, augmentation. The paper's
// channels are divided by `divide`.
Training CifarVgg(const Lab& lab, const Task& cifar, int divide,
                  const std::string& norm = "layer");
// `width` multiplies the channels of the original ResNet20.
Training CifarResNet(const Lab& lab, const Task& cifar, int width,
                     const std::string& norm = "layer");
// The VGG11 of OT-Fusion: no norms, one dense layer; 300 epochs of SGD at a
// rate of 0.05 from Kaiming initialisation. Its authors halve the rate every 30
// epochs; here it falls along one cosine.
Training CifarVgg11(const Lab& lab, const Task& cifar, int divide);
// 25 epochs of the VGG recipe at a rate of 0.001 without augmentation, on
// images of 32x32. Weight matching fails for it in the paper.
Training MnistVgg(const Lab& lab, const Task& mnist, int divide);
// Depth-wise convolutions: each channel has its own small filter, and little
// else distinguishes it from others. The paper names ConvNeXt as a failure and
// gives no recipe; this is Adam with the augmentation of the others.
Training CifarConvNext(const Lab& lab, const Task& cifar);
// The width of the paper's ResNet20s.
inline constexpr int kPaperResNetWidth = 32;

// The MLP for the data: "mlp:in=784,out=10".
std::string MlpFor(const Task& task, const std::string& options = "");

// Trains for `epochs` instead of the recipe's. The schedule keeps its shape: a
// warm-up is shortened in proportion. Adds to `training.shortened`.
void Shorten(Training& training, int64_t epochs);
// Says that the network has a share of the paper's width.
void Narrow(Training& training, int divide);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_RECIPES_H_
