// Layers with the names of PyTorch, over a GraphBuilder. The weights of a layer
// are NAME.weight, NAME.bias and so on; input sizes come from the input value.

#ifndef REBASIN_ZOO_LAYERS_H_
#define REBASIN_ZOO_LAYERS_H_

#include <string>
#include <vector>

#include "graph/builder.h"

namespace rebasin::zoo {

// An input of images, with an open batch size.
ValueId ImageInput(GraphBuilder& g, int64_t size);

inline constexpr int64_t kSame = -1;  // padding by half the kernel

struct ConvOptions {
  int64_t kernel = 3;
  int64_t stride = 1;
  int64_t padding = kSame;
  int64_t groups = 1;
  bool bias = false;
};
ValueId Conv2d(GraphBuilder& g, const std::string& name, ValueId x,
               int64_t channels, const ConvOptions& options = {});

// x W^T + b over the last axis.
ValueId Linear(GraphBuilder& g, const std::string& name, ValueId x,
               int64_t outputs, bool bias = true);

ValueId BatchNorm2d(GraphBuilder& g, const std::string& name, ValueId x);
// Normalises over the last axis.
ValueId LayerNorm(GraphBuilder& g, const std::string& name, ValueId x,
                  double epsilon = 1e-5);
// Normalises over the channels of images, at each position separately.
ValueId LayerNorm2d(GraphBuilder& g, const std::string& name, ValueId x,
                    double epsilon = 1e-5);
// Normalises each channel of each image separately.
ValueId InstanceNorm2d(GraphBuilder& g, const std::string& name, ValueId x);
// Normalises groups of channels; 0: up to eight groups, of two channels at
// least. Throws Error(kUsage) if the number of groups does not divide the
// channels.
ValueId GroupNorm2d(GraphBuilder& g, const std::string& name, ValueId x,
                    int64_t groups = 0);
// Normalises over the last axis, written as separate operators like exporters
// do.
ValueId RmsNorm(GraphBuilder& g, const std::string& name, ValueId x,
                double epsilon = 1e-5);

ValueId Relu(GraphBuilder& g, ValueId x);
ValueId Relu6(GraphBuilder& g, ValueId x);
ValueId Silu(GraphBuilder& g, ValueId x);
ValueId Gelu(GraphBuilder& g, ValueId x);
ValueId GeluTanh(GraphBuilder& g, ValueId x);  // the approximation by tanh

ValueId MaxPool2d(GraphBuilder& g, ValueId x, int64_t kernel, int64_t stride,
                  int64_t padding = 0);
ValueId AveragePool2d(GraphBuilder& g, ValueId x, int64_t kernel);
// keeps both axes, with size 1
ValueId GlobalAveragePool2d(GraphBuilder& g, ValueId x);
ValueId Flatten(GraphBuilder& g, ValueId x);  // all axes except the first
// GlobalAveragePool2d and Flatten: one number for each channel.
ValueId PoolAll(GraphBuilder& g, ValueId x);

// Returns row `index` of the weight NAME.weight for each index.
ValueId Embedding(GraphBuilder& g, const std::string& name, ValueId indices,
                  int64_t rows, int64_t width);

ValueId Plus(GraphBuilder& g, ValueId x, ValueId y);
ValueId Times(GraphBuilder& g, ValueId x, ValueId y);
ValueId Scaled(GraphBuilder& g, ValueId x, double factor);
ValueId Transpose(GraphBuilder& g, ValueId x, std::vector<int64_t> order);
// 0 keeps a size, -1 is inferred.
ValueId Reshape(GraphBuilder& g, ValueId x, std::vector<int64_t> sizes);
// Indices [begin, end) of one axis.
ValueId Slice(GraphBuilder& g, ValueId x, int64_t axis, int64_t begin,
              int64_t end);
ValueId Concat(GraphBuilder& g, std::vector<ValueId> values, int64_t axis);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_LAYERS_H_
