// Resizing. Each axis is multiplied by the matrix of the reference's weights,
// so that all modes have gradients; common image resizing uses LibTorch's
// kernels.

#include <ATen/ATen.h>

#include <cmath>

#include "graph/ops/resize_scaling.h"
#include "graph/ops/resize_taps.h"
#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

// Nearest: selects elements of the input.
at::Tensor SelectAlong(const OpContext& context, const at::Tensor& x,
                       int64_t axis, const AxisScaling& scaling) {
  at::Tensor indices = at::empty({scaling.to}, at::kLong);
  for (int64_t i = 0; i < scaling.to; ++i) {
    indices.data_ptr<int64_t>()[i] = Taps(context, scaling, i)[0].index;
  }
  return at::index_select(x, axis, indices.to(x.device()));
}

at::Tensor MultiplyAlong(const OpContext& context, const at::Tensor& x,
                         int64_t axis, const AxisScaling& scaling) {
  at::Tensor weights = at::zeros({scaling.from, scaling.to}, at::kDouble);
  auto at = weights.accessor<double, 2>();
  for (int64_t i = 0; i < scaling.to; ++i) {
    for (const Tap& tap : Taps(context, scaling, i)) {
      at[tap.index][i] += tap.weight;
    }
  }
  return at::matmul(x.movedim(axis, -1), weights.to(x.options()))
      .movedim(-1, axis);
}

// LibTorch's image kernels change the last two of four axes.
bool IsImage(const std::vector<AxisScaling>& scalings) {
  return scalings.size() == 4 && scalings[0].scale == 1 &&
         scalings[1].scale == 1;
}

// They find nearest elements by multiplication in float, which is exact only
// for integer factors.
bool IsWhole(double scale) { return scale == std::floor(scale); }

at::Tensor ResizeNearest(const OpContext& context, const at::Tensor& x,
                         const std::vector<AxisScaling>& scalings) {
  const bool from_start =
      context.String("coordinate_transformation_mode", "") == "asymmetric" &&
      context.String("nearest_mode", "") == "floor";
  if (!from_start || !IsImage(scalings) || !IsWhole(scalings[2].scale) ||
      !IsWhole(scalings[3].scale)) {
    return {};
  }
  return at::upsample_nearest2d(x, {scalings[2].to, scalings[3].to},
                                scalings[2].scale, scalings[3].scale);
}

// Linear and cubic modes.
at::Tensor ResizeSmooth(const OpContext& context, const at::Tensor& x,
                        const std::vector<AxisScaling>& scalings) {
  const std::string mode =
      context.String("coordinate_transformation_mode", "half_pixel");
  const bool corners = mode == "align_corners";
  const bool same_kernel = context.Float("cubic_coeff_a", -0.75) == -0.75 &&
                           context.Int("exclude_outside", 0) == 0;
  if ((!corners && mode != "half_pixel") || !same_kernel ||
      !IsImage(scalings)) {
    return {};
  }
  const std::vector<int64_t> sizes = {scalings[2].to, scalings[3].to};
  if (context.String("mode", "") == "cubic") {
    return at::upsample_bicubic2d(x, sizes, corners, scalings[2].scale,
                                  scalings[3].scale);
  }
  return at::upsample_bilinear2d(x, sizes, corners, scalings[2].scale,
                                 scalings[3].scale);
}

std::vector<at::Tensor> Resize(const OpCall& call) {
  const OpContext& context = call.context();
  const std::vector<AxisScaling> scalings = *Scalings(context);
  const bool nearest = context.String("mode", "nearest") == "nearest";
  const at::Tensor native = nearest ? ResizeNearest(context, call[0], scalings)
                                    : ResizeSmooth(context, call[0], scalings);
  if (native.defined()) return {native};
  at::Tensor x = call[0];
  for (int64_t axis = 0; axis < x.dim(); ++axis) {
    const AxisScaling& scaling = scalings[axis];
    if (scaling.scale == 1) continue;
    x = nearest ? SelectAlong(context, x, axis, scaling)
                : MultiplyAlong(context, x, axis, scaling);
  }
  return {x};
}

bool IsKnownForm(const OpContext& context) {
  const std::string mode = context.String("mode", "nearest");
  return OfFloats(context) && context.Int("antialias", 0) == 0 &&
         (mode == "nearest" || mode == "linear" || mode == "cubic");
}

constexpr Lowering kLowerings[] = {{"Resize", Resize, IsKnownForm}};

}  // namespace

std::span<const Lowering> ResizeLowerings() { return kLowerings; }

}  // namespace rebasin::nn
