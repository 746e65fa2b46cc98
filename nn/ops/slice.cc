// Splits, concatenates and pads tensors along axes.

#include "graph/ops/slice.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "graph/ops/pad.h"
#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

int64_t AxisOf(const OpCall& call) {
  return call.context().NormalAxis(call.context().Int("axis", 0),
                                   call[0].dim());
}

std::vector<at::Tensor> Concat(const OpCall& call) {
  std::vector<at::Tensor> inputs;
  for (size_t i = 0; i < call.inputs(); ++i) inputs.push_back(call[i]);
  return {at::cat(inputs, AxisOf(call))};
}

// Returns views.
std::vector<at::Tensor> Split(const OpCall& call) {
  const int64_t axis = AxisOf(call);
  std::vector<int64_t> sizes;
  for (size_t o = 0; o < call.context().outputs(); ++o) {
    sizes.push_back(call.output(o).shape[axis]);
  }
  return at::split_with_sizes(call[0], sizes, axis);
}

// LibTorch has no negative steps, so the axis is flipped after a forward slice.
at::Tensor CutAxis(const at::Tensor& x, int64_t axis, const Cut& cut) {
  if (cut.count == 0) return x.narrow(axis, 0, 0);
  const int64_t last = cut.start + (cut.count - 1) * cut.step;
  if (cut.step > 0) return x.slice(axis, cut.start, last + 1, cut.step);
  return x.slice(axis, last, cut.start + 1, -cut.step).flip(axis);
}

std::vector<at::Tensor> Slice(const OpCall& call) {
  const std::vector<Cut> cuts = *Cuts(call.context());
  at::Tensor x = call[0];
  for (int64_t axis = 0; axis < x.dim(); ++axis) {
    const Cut& cut = cuts[axis];
    const bool whole = cut.step == 1 && cut.count == x.size(axis);
    if (!whole) x = CutAxis(x, axis, cut);
  }
  return {x};
}

at::Tensor PadConstant(const OpCall& call, const std::vector<Margin>& margins) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const Margin& margin : margins) {
    pairs.emplace_back(margin.before, margin.after);
  }
  const bool given = call.Has(2) && call[2].numel() > 0;
  const double fill = call.Number(2).value_or(0);
  const at::Tensor padded = Padded(call[0], pairs, fill);
  if (!given || call.Number(2)) return padded;
  // The fill value is computed: it is added where padded ones are zero.
  const at::Tensor inside =
      Padded(at::ones(call[0].sizes(), call[0].options()), pairs);
  return padded + (1 - inside) * call[2].reshape({});
}

// Repeats elements of an axis by index.
at::Tensor RepeatAxis(const at::Tensor& x, int64_t axis, PadMode mode,
                      const Margin& margin) {
  const int64_t size = x.size(axis) + margin.before + margin.after;
  at::Tensor indices = at::empty({size}, at::kLong);
  for (int64_t i = 0; i < size; ++i) {
    indices.data_ptr<int64_t>()[i] =
        PadSource(mode, i - margin.before, x.size(axis));
  }
  return at::index_select(x, axis, indices.to(x.device()));
}

std::vector<at::Tensor> Pad(const OpCall& call) {
  const std::vector<Margin> margins = *Margins(call.context());
  const PadMode mode = PadModeOf(call.context());
  if (mode == PadMode::kConstant) return {PadConstant(call, margins)};
  at::Tensor x = call[0];
  for (int64_t axis = 0; axis < x.dim(); ++axis) {
    const Margin& margin = margins[axis];
    if (margin.before == 0 && margin.after == 0) continue;
    x = RepeatAxis(x, axis, mode, margin);
  }
  return {x};
}

constexpr Lowering kLowerings[] = {
    {"Concat", Concat},
    {"Split", Split},
    {"Slice", Slice},
    {"Pad", Pad, OfNumbers},
};

}  // namespace

std::span<const Lowering> SliceLowerings() { return kLowerings; }

}  // namespace rebasin::nn
