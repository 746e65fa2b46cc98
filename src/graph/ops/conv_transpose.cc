// The transposed convolution: each element of the input adds a scaled window to
// the output.

#include <algorithm>

#include "graph/ops/common.h"
#include "graph/ops/multiply.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"
#include "graph/ops/window.h"

namespace rebasin {
namespace {

// Sets the padding so that the output has the requested size.
void PadTo(int64_t size, bool more_at_end, int64_t full, Slide& slide) {
  const int64_t total = std::max(full - size, int64_t{0});
  slide.begin = more_at_end ? total / 2 : total - total / 2;
  slide.end = total - slide.begin;
  slide.size = size;
}

}  // namespace

std::vector<Slide> ConvTransposeSlides(const OpContext& context) {
  const Shape& weight = context.shape(1);
  if (weight.size() < 3) {
    throw context.Bad("weight " + ShapeText(weight) + " has no window");
  }
  auto slides = ReadSlides(context, Shape(weight.begin() + 2, weight.end()));
  const auto extra =
      context.Ints("output_padding", std::vector<int64_t>(slides.size(), 0));
  const auto sizes = context.Ints("output_shape", {});
  if (extra.size() != slides.size() ||
      (!sizes.empty() && sizes.size() != slides.size())) {
    throw context.Bad("output_padding or output_shape does not fit weight " +
                      ShapeText(weight));
  }
  const std::string mode = context.String("auto_pad", "NOTSET");
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  for (size_t i = 0; i < slides.size(); ++i) {
    Slide& slide = slides[i];
    slide.count = slide.size;
    const int64_t full = Plus(
        context, (slide.count - 1) * slide.stride + slide.extent(), extra[i]);
    if (mode == "VALID") slide.begin = slide.end = 0;
    slide.size = full - slide.begin - slide.end;
    const bool at_end = mode == "SAME_UPPER";
    if (same) PadTo(slide.count * slide.stride, at_end, full, slide);
    if (!sizes.empty()) PadTo(sizes[i], at_end, full, slide);
    if (slide.size < 0) throw context.Bad("its pads leave no output");
  }
  return slides;
}

namespace {

std::vector<ValueType> InferConvTranspose(const OpContext& context) {
  const Shape& input = context.shape(0);
  const Shape& weight = context.shape(1);
  const std::vector<Slide> slides = ConvTransposeSlides(context);
  const int64_t groups = Groups(context);
  if (input[1] != weight[0] || input[1] % groups != 0 || input[1] == 0) {
    throw context.Bad("input " + ShapeText(input) + " and weight " +
                      ShapeText(weight) + " do not fit in " +
                      std::to_string(groups) + " groups");
  }
  const int64_t channels = Times(context, weight[1], groups);
  if (context.Has(2) && context.shape(2) != Shape{channels}) {
    throw context.Bad("bias " + ShapeText(context.shape(2)) +
                      " does not fit weight " + ShapeText(weight));
  }
  Shape shape = {input[0], channels};
  for (const Slide& slide : slides) shape.push_back(slide.size);
  return {KnownType(context.type(0).kind, std::move(shape))};
}

// Adds the contributions of one window element at all places to a channel.
void FoldRow(const std::array<Slide, 3>& slides,
             const std::array<int64_t, 3>& k, const double* row,
             double* channel) {
  const auto& [z, y, x] = slides;
  for (int64_t i = 0; i < z.count; ++i) {
    for (int64_t j = 0; j < y.count; ++j, row += x.count) {
      const int64_t at_z = z.At(i, k[0]);
      const int64_t at_y = y.At(j, k[1]);
      if (!z.Inside(at_z) || !y.Inside(at_y)) continue;
      double* line = channel + (at_z * y.size + at_y) * x.size;
      for (int64_t l = 0; l < x.count; ++l) {
        const int64_t at_x = x.At(l, k[2]);
        if (x.Inside(at_x)) line[at_x] += row[l];
      }
    }
  }
}

void Fold(const std::array<Slide, 3>& slides, int64_t channels,
          const double* rows, double* output) {
  const auto& [z, y, x] = slides;
  const int64_t places = z.count * y.count * x.count;
  for (int64_t channel = 0; channel < channels; ++channel) {
    for (int64_t kz = 0; kz < z.kernel; ++kz) {
      for (int64_t ky = 0; ky < y.kernel; ++ky) {
        for (int64_t kx = 0; kx < x.kernel; ++kx, rows += places) {
          FoldRow(slides, {kz, ky, kx}, rows, output);
        }
      }
    }
    output += z.size * y.size * x.size;
  }
}

// The weight of each group, with the axis of the input channels moved to the
// end.
std::vector<double> TransposedWeight(const OpContext& context, int64_t groups) {
  const Array& weight = *context.array(1);
  const int64_t channels = weight.shape[0] / groups;
  const int64_t rest = weight.size() / weight.shape[0];
  return Pick(weight.values(),
              StridedOffsets({groups, rest, channels},
                             std::vector{channels * rest, int64_t{1}, rest}));
}

std::vector<Array> EvaluateConvTranspose(const OpContext& context,
                                         std::span<const ValueType> types) {
  const auto slides = InThreeDimensions(context, ConvTransposeSlides(context));
  const int64_t groups = Groups(context);
  const int64_t images = context.shape(0)[0] * groups;
  const int64_t channels = context.shape(0)[1] / groups;
  const int64_t places = slides[0].count * slides[1].count * slides[2].count;
  const std::vector<double> weight = TransposedWeight(context, groups);
  const int64_t weight_size = static_cast<int64_t>(weight.size()) / groups;
  const int64_t rows = weight_size / channels;
  std::vector<double> result = BiasOrZeros(context, types[0].shape);
  const int64_t out_size = static_cast<int64_t>(result.size()) / images;
  for (int64_t i = 0; i < images; ++i) {
    std::vector<double> windows(rows * places, 0.0);
    MultiplyAdd(rows, places, channels,
                weight.data() + i % groups * weight_size,
                context.array(0)->values().data() + i * channels * places,
                windows.data());
    Fold(slides, context.shape(1)[1], windows.data(),
         result.data() + i * out_size);
  }
  return SingleOutput(types[0], std::move(result));
}

constexpr OperatorInput kInputs[] = {
    kData,
    {.role = InputRole::kFactor,
     .channel_axis = 1,
     .output_axis = 1,
     .first_summed = 0,
     .last_summed = 0,
     .channels_of_one_group = true},
    {.role = InputRole::kBias, .channel_axis = 0}};

double CountConvTranspose(const Shape& image, const Shape& weight,
                          const Shape&) {
  return Elements(image) * RowElements(weight);
}

constexpr Operator kOperators[] = {
    {"ConvTranspose", 3, InferConvTranspose, EvaluateConvTranspose,
     With(kUsual, OperatorClass::kLayer, kInputs, DegreeLaw::kConvolution,
          WeightInit::kFanIn, CountConvTranspose, WrittenSizes::kGroupsOfOutput,
          ImpliedAttribute{"kernel_shape"}),
     kCostly},
};

}  // namespace

std::span<const Operator> ConvTransposeOperators() { return kOperators; }

}  // namespace rebasin
