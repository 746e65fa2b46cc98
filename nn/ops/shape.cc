// Changes the shape or order of elements. Returns views where LibTorch can;
// copies are made only when needed.

#include <ATen/ATen.h>

#include "graph/ops/axes.h"
#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

// Reshape, Flatten, Squeeze, Unsqueeze: the shape rules give the new shape.
std::vector<at::Tensor> Reshape(const OpCall& call) {
  return {call[0].reshape(call.output(0).shape)};
}

std::vector<at::Tensor> Expand(const OpCall& call) {
  return {call[0].expand(call.output(0).shape)};
}

std::vector<at::Tensor> Transpose(const OpCall& call) {
  return {call[0].permute(Permutation(call.context()))};
}

std::vector<at::Tensor> Tile(const OpCall& call) {
  return {call[0].repeat(call.Ints(1))};
}

// Moves blocks of channels to blocks of pixels.
std::vector<at::Tensor> DepthToSpace(const OpCall& call) {
  const at::Tensor& x = call[0];
  const int64_t block = call.context().Int("blocksize", 1);
  const int64_t depth = call.output(0).shape[1];
  const int64_t n = x.size(0), h = x.size(2), w = x.size(3);
  const at::Tensor pixels = call.context().String("mode", "DCR") == "CRD"
                                ? x.reshape({n, depth, block, block, h, w})
                                      .permute({0, 1, 4, 2, 5, 3})
                                : x.reshape({n, block, block, depth, h, w})
                                      .permute({0, 3, 4, 1, 5, 2});
  return {pixels.reshape(call.output(0).shape)};
}

std::vector<at::Tensor> SpaceToDepth(const OpCall& call) {
  const at::Tensor& x = call[0];
  const int64_t block = call.context().Int("blocksize", 1);
  const Shape& to = call.output(0).shape;
  return {x.reshape({x.size(0), x.size(1), to[2], block, to[3], block})
              .permute({0, 3, 5, 1, 2, 4})
              .reshape(to)};
}

constexpr Lowering kLowerings[] = {
    {"Reshape", Reshape},
    {"Flatten", Reshape},
    {"Squeeze", Reshape},
    {"Unsqueeze", Reshape},
    {"Expand", Expand},
    {"Transpose", Transpose},
    {"Tile", Tile},
    {"DepthToSpace", DepthToSpace},
    {"SpaceToDepth", SpaceToDepth},
};

}  // namespace

std::span<const Lowering> ShapeLowerings() { return kLowerings; }

}  // namespace rebasin::nn
