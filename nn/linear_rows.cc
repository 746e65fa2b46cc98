#include "nn/linear_rows.h"

#include <ATen/ATen.h>

#include <cassert>
#include <utility>

#include "graph/operator.h"
#include "graph/ops/window.h"
#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

OpContext ContextOf(const Step& step) {
  return OpContext(*step.node, step.types, step.arrays);
}

// How one element of a window moves over an axis of the (padded) input.
struct Track {
  int64_t first = 0, stride = 1, count = 1;
};

// The input between zeros, one axis after the other, and the tracks over it.
struct WindowAxis {
  int64_t margin_before = 0, margin_after = 0;
  std::vector<Track> tracks = {};  // by element of the window
};

int64_t CountOf(int64_t places, const Places& taken) {
  return places <= taken.offset ? 0
                                : (places - taken.offset - 1) / taken.step + 1;
}

// A convolution reads input place * stride + k * dilation - begin.
WindowAxis ForwardAxis(const Slide& slide, const Places& taken) {
  WindowAxis axis{slide.begin, slide.end};
  for (int64_t k = 0; k < slide.kernel; ++k) {
    axis.tracks.push_back({taken.offset * slide.stride + k * slide.dilation,
                           slide.stride * taken.step,
                           CountOf(slide.count, taken)});
  }
  return axis;
}

// A transposed convolution reads input (place + begin - k * dilation) / stride
// where that is whole: the same as place + begin - k * dilation of an input
// with zeros in between.
WindowAxis TransposedAxis(const Slide& slide, const Places& taken) {
  const int64_t reach = (slide.kernel - 1) * slide.dilation;
  const int64_t stretched = (slide.count - 1) * slide.stride + 1;
  WindowAxis axis{std::max<int64_t>(reach - slide.begin, 0),
                  std::max<int64_t>(slide.size + slide.begin - stretched, 0)};
  for (int64_t k = 0; k < slide.kernel; ++k) {
    axis.tracks.push_back(
        {axis.margin_before + slide.begin - k * slide.dilation + taken.offset,
         taken.step, CountOf(slide.size, taken)});
  }
  return axis;
}

// With stride - 1 zeros between neighbours.
at::Tensor Stretched(const at::Tensor& x, const std::vector<Slide>& slides) {
  std::vector<int64_t> shape = x.sizes().vec();
  for (size_t i = 0; i < slides.size(); ++i) {
    shape[i + 2] = (shape[i + 2] - 1) * slides[i].stride + 1;
  }
  at::Tensor stretched = at::zeros(shape, x.options());
  at::Tensor places = stretched;
  for (size_t i = 0; i < slides.size(); ++i) {
    places = places.slice(static_cast<int64_t>(i) + 2, 0, INT64_MAX,
                          slides[i].stride);
  }
  places.copy_(x);
  return stretched;
}

// All elements of the windows: [channels, elements, batch, places...] of x,
// which is [channels, batch, ...]. A single copy of many short runs.
at::Tensor Gathered(const at::Tensor& x, const std::vector<WindowAxis>& axes) {
  std::vector<at::Tensor> elements = {x.unsqueeze(1)};
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    const auto dim = static_cast<int64_t>(axis) + 3;
    std::vector<at::Tensor> tracked;
    for (const at::Tensor& part : elements) {
      for (const Track& track : axes[axis].tracks) {
        const int64_t end = track.first + (track.count - 1) * track.stride + 1;
        tracked.push_back(part.slice(dim, track.first, end, track.stride));
      }
    }
    elements = std::move(tracked);
  }
  return at::cat(elements, 1);
}

std::vector<Slide> SlidesOf(const Step& step, bool transposed) {
  const OpContext context = ContextOf(step);
  return transposed ? ConvTransposeSlides(context) : ConvSlides(context);
}

}  // namespace

LinearRows::LinearRows(const Step& step, const Shape& weight)
    : step_(step), weight_(weight) {
  is_transposed_ = step.node->op == "ConvTranspose";
  is_convolution_ = is_transposed_ || step.node->op == "Conv";
  const OpContext context = ContextOf(step);
  const Shape& output = step.outputs[0].shape;
  if (!is_convolution_) {
    size_ = {.inputs = context.shape(0).back(), .outputs = output.back()};
    for (size_t i = 0; i + 1 < output.size(); ++i) size_.places *= output[i];
    size_.places_are_of_example = false;
    axes_ = output.size() > 2 ? 1 : 0;
    return;
  }
  size_.groups = Groups(context);
  int64_t window = 1;
  for (size_t i = 2; i < weight.size(); ++i) {
    window *= weight[i];
    size_.places *= output[i];
  }
  size_.inputs = context.shape(0)[1] / size_.groups * window;
  size_.outputs = output[1] / size_.groups;
  axes_ = static_cast<int64_t>(weight.size()) - 2;
}

at::Tensor LinearRows::Windows(const at::Tensor& input,
                               const Places& places) const {
  const std::vector<Slide> slides = SlidesOf(step_, is_transposed_);
  std::vector<WindowAxis> axes;
  std::vector<std::pair<int64_t, int64_t>> margins;
  for (const Slide& slide : slides) {
    axes.push_back(is_transposed_ ? TransposedAxis(slide, places)
                                  : ForwardAxis(slide, places));
    margins.emplace_back(axes.back().margin_before, axes.back().margin_after);
  }
  const at::Tensor x = is_transposed_ ? Stretched(input, slides) : input;
  return Gathered(Padded(x, margins).transpose(0, 1), axes);
}

at::Tensor LinearRows::Inputs(const at::Tensor& input,
                              const Places& places) const {
  const at::Tensor x = input.to(at::kCPU, at::kFloat);
  if (is_convolution_) {
    return Windows(x, places).reshape({size_.groups, size_.inputs, -1});
  }
  return x.reshape({1, -1, size_.inputs})
      .slice(1, places.offset, INT64_MAX, places.step)
      .clone(at::MemoryFormat::Contiguous)
      .transpose(1, 2);
}

at::Tensor LinearRows::Outputs(const at::Tensor& output,
                               const Places& places) const {
  at::Tensor y = output.to(at::kCPU, at::kFloat);
  if (!is_convolution_) {
    return y.reshape({1, -1, size_.outputs})
        .slice(1, places.offset, INT64_MAX, places.step)
        .transpose(1, 2);
  }
  for (int64_t axis = 2; axis < y.dim(); ++axis) {
    y = y.slice(axis, places.offset, INT64_MAX, places.step);
  }
  return y.transpose(0, 1).reshape({size_.groups, size_.outputs, -1});
}

at::Tensor LinearRows::Weight(const at::Tensor& solution,
                              int64_t channel_axis) const {
  if (!is_convolution_) {
    return channel_axis == 0 ? solution[0].t() : solution[0];
  }
  if (is_transposed_) {
    assert(size_.groups == 1);
    return solution[0]
        .reshape({weight_[0], -1, size_.outputs})
        .transpose(1, 2)
        .reshape(weight_);
  }
  return solution.transpose(1, 2).reshape(weight_);
}

}  // namespace rebasin::nn
