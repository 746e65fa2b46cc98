// Convolutions, computed as matrix products: the image is unfolded so that each
// column holds the elements under the window at one place.

#include <algorithm>

#include "graph/ops/common.h"
#include "graph/ops/multiply.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"
#include "graph/ops/window.h"

namespace rebasin {

std::vector<Slide> ConvSlides(const OpContext& context) {
  const Shape& weight = context.shape(1);
  if (weight.size() < 3) {
    throw context.Bad("weight " + ShapeText(weight) + " has no window");
  }
  auto slides = ReadSlides(context, Shape(weight.begin() + 2, weight.end()));
  PlaceWindows(context, slides);
  return slides;
}

namespace {

std::vector<ValueType> InferConv(const OpContext& context) {
  const std::vector<Slide> slides = ConvSlides(context);
  const Shape& input = context.shape(0);
  const Shape& weight = context.shape(1);
  const int64_t groups = Groups(context);
  if (input[1] % groups != 0 || weight[0] % groups != 0 ||
      input[1] / groups != weight[1]) {
    throw context.Bad("input " + ShapeText(input) + " and weight " +
                      ShapeText(weight) + " do not fit in " +
                      std::to_string(groups) + " groups");
  }
  if (context.Has(2) && context.shape(2) != Shape{weight[0]}) {
    throw context.Bad("bias " + ShapeText(context.shape(2)) +
                      " does not fit weight " + ShapeText(weight));
  }
  return {
      KnownType(context.type(0).kind, WindowShape(context, weight[0], slides))};
}

// The channels of one image that one group of the convolution reads.
struct Image {
  const double* data;
  int64_t channels;
  const std::array<Slide, 3>& slides;
};

// Writes one row of the unfolded image: the elements under one element of the
// window, at the places of the lines [begin, end) along the last axis.
void UnfoldRow(const Image& image, int64_t channel,
               const std::array<int64_t, 3>& k, int64_t begin, int64_t end,
               double* row) {
  const auto& [z, y, x] = image.slides;
  for (int64_t line = begin; line < end; ++line, row += x.count) {
    const int64_t at_z = z.At(line / y.count, k[0]);
    const int64_t at_y = y.At(line % y.count, k[1]);
    if (!z.Inside(at_z) || !y.Inside(at_y)) {
      std::fill_n(row, x.count, 0.0);
      continue;
    }
    const double* from =
        image.data + ((channel * z.size + at_z) * y.size + at_y) * x.size;
    for (int64_t i = 0; i < x.count; ++i) {
      const int64_t at_x = x.At(i, k[2]);
      row[i] = x.Inside(at_x) ? from[at_x] : 0.0;
    }
  }
}

void Unfold(const Image& image, int64_t begin, int64_t end, double* unfolded) {
  const auto& [z, y, x] = image.slides;
  const int64_t columns = (end - begin) * x.count;
  for (int64_t channel = 0; channel < image.channels; ++channel) {
    for (int64_t kz = 0; kz < z.kernel; ++kz) {
      for (int64_t ky = 0; ky < y.kernel; ++ky) {
        for (int64_t kx = 0; kx < x.kernel; ++kx, unfolded += columns) {
          UnfoldRow(image, channel, {kz, ky, kx}, begin, end, unfolded);
        }
      }
    }
  }
}

// output += weight * unfolded image. Unfolds a few lines at a time to limit
// memory.
void Convolve(const Image& image, const double* weight, int64_t out_channels,
              double* output) {
  constexpr int64_t kUnfolded = int64_t{1} << 18;
  const auto& [z, y, x] = image.slides;
  const int64_t depth = image.channels * z.kernel * y.kernel * x.kernel;
  const int64_t lines = z.count * y.count;
  const int64_t step = std::clamp(
      kUnfolded / std::max<int64_t>(depth * x.count, 1), int64_t{1}, lines);
  std::vector<double> unfolded(depth * step * x.count);
  for (int64_t begin = 0; begin < lines; begin += step) {
    const int64_t end = std::min(begin + step, lines);
    Unfold(image, begin, end, unfolded.data());
    MultiplyAdd(out_channels, (end - begin) * x.count, depth, weight,
                unfolded.data(), output + begin * x.count, lines * x.count);
  }
}

std::vector<Array> EvaluateConv(const OpContext& context,
                                std::span<const ValueType> types) {
  const auto slides = InThreeDimensions(context, ConvSlides(context));
  const Shape& weight = context.shape(1);
  const int64_t groups = Groups(context);
  const int64_t images = context.shape(0)[0] * groups;
  std::vector<double> result = BiasOrZeros(context, types[0].shape);
  // The groups of an image are stored one after the other, like the images.
  const int64_t in_size = context.array(0)->size() / images;
  const int64_t out_size = static_cast<int64_t>(result.size()) / images;
  const int64_t weight_size = context.array(1)->size() / groups;
  for (int64_t i = 0; i < images; ++i) {
    Convolve(
        {context.array(0)->values().data() + i * in_size, weight[1], slides},
        context.array(1)->values().data() + i % groups * weight_size,
        weight[0] / groups, result.data() + i * out_size);
  }
  return SingleOutput(types[0], std::move(result));
}

constexpr OperatorInput kInputs[] = {
    kData,
    {.role = InputRole::kFactor,
     .channel_axis = 0,
     .output_axis = 1,
     .first_summed = 1,
     .last_summed = -1},
    {.role = InputRole::kBias, .channel_axis = 0}};

double CountConv(const Shape&, const Shape& weight, const Shape& output) {
  return Elements(output) * RowElements(weight);
}

constexpr Operator kOperators[] = {
    {"Conv", 3, InferConv, EvaluateConv,
     With(kUsual, OperatorClass::kLayer, kInputs, DegreeLaw::kConvolution,
          WeightInit::kFanIn, CountConv, WrittenSizes::kGroupsOfInput,
          ImpliedAttribute{"kernel_shape"}),
     kCostly},
};

}  // namespace

std::span<const Operator> ConvOperators() { return kOperators; }

}  // namespace rebasin
