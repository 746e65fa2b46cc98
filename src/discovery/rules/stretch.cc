// Axes that are repeated or filled with one number. A value that is the same at
// all indices of an axis does not change if that axis is permuted.

#include "discovery/rules/rules.h"

namespace rebasin {
namespace {

void Expand(RuleContext& context) {
  const Shape& from = context.shape(0);
  const Shape& to = context.output_shape(0);
  const size_t shift = to.size() - from.size();
  Axes result;
  for (size_t k = 0; k < to.size(); ++k) {
    const bool kept = k >= shift && from[k - shift] == to[k];
    if (kept) context.ReportWholeAxis(0, k - shift, 0, k);
    result.push_back(kept ? context.axes(0)[k - shift]
                          : context.FreeAxis(static_cast<int>(k), to[k]));
  }
  context.SetAxes(0, std::move(result));
}

// n copies side by side: (copy, index).
void Tile(RuleContext& context) {
  Axes result = context.axes(0);
  for (size_t k = 0; k < result.size(); ++k) {
    const int64_t copies = context.output_shape(0)[k] / context.shape(0)[k];
    if (copies == 1) continue;
    const std::vector<Expression> parts = {
        context.FreeAxis(static_cast<int>(k), copies), result[k]};
    result[k] = context.algebra().Flattened(parts);
  }
  context.SetAxes(0, std::move(result));
}

// Reports where the old axes begin in the new ones; -1: nowhere. Padding with a
// number other than zero does not scale with the rest, so nothing is reported.
void ReportPaddedAxes(RuleContext& context, const std::vector<int64_t>& begins,
                      bool constant) {
  const Array* fill = context.op().array(2);
  const bool zero = !context.Has(2) || (fill != nullptr && fill->size() == 1 &&
                                        fill->values()[0] == 0);
  if (constant && !zero) return;
  for (size_t k = 0; k < begins.size(); ++k) {
    if (begins[k] < 0) continue;
    context.ReportStrip({.input_axis = k,
                         .output_axis = k,
                         .output_begin = begins[k],
                         .size = context.shape(0)[k]});
  }
}

// Adds indices that hold one number before and after the old ones.
void Pad(RuleContext& context) {
  const OpContext& op = context.op();
  const auto pads = op.Ints(size_t{1});
  const int64_t rank = op.rank(0);
  std::vector<int64_t> all(rank);
  for (int64_t k = 0; k < rank; ++k) all[k] = k;
  const auto axes = op.Has(3) ? op.Ints(size_t{3}) : all;
  if (!pads || !axes || pads->size() != 2 * axes->size()) {
    return context.FixAll();
  }
  const bool constant = op.String("mode", "constant") == "constant";
  Axes result = context.axes(0);
  std::vector<int64_t> begins(result.size(), 0);
  for (size_t i = 0; i < axes->size(); ++i) {
    const size_t k = op.NormalAxis((*axes)[i], rank);
    const int64_t before = (*pads)[i];
    const int64_t after = (*pads)[i + axes->size()];
    const int slot = 2 * static_cast<int>(k);
    const bool varies = context.ElementVaries(1, i) ||
                        context.ElementVaries(1, i + axes->size());
    if (before == 0 && after == 0 && !varies) continue;
    if (varies) context.FixForAllSizes(result[k]);
    if (!constant || varies || before < 0 || after < 0) {
      context.Fix(result[k]);
      result[k] = context.FixedAxis(slot, context.output_shape(0)[k]);
      begins[k] = -1;
      continue;
    }
    begins[k] = before;
    const Expression old = result[k];
    result[k].clear();
    if (before > 0) result[k] = context.FreeAxis(slot, before);
    result[k].insert(result[k].end(), old.begin(), old.end());
    if (after == 0) continue;
    result[k].push_back(context.FreeAxis(slot + 1, after)[0]);
  }
  ReportPaddedAxes(context, begins, constant);
  context.SetAxes(0, std::move(result));
}

// Axes that keep their size keep their indices; resampled axes are fixed.
// Resampling is linear unless places outside of the image get a value of their
// own.
void Resize(RuleContext& context) {
  const bool linear = context.op().String("coordinate_transformation_mode",
                                          "") != "tf_crop_and_resize";
  Axes result = context.axes(0);
  for (size_t k = 0; k < result.size(); ++k) {
    if (context.shape(0)[k] == context.output_shape(0)[k] && k < 2) {
      if (linear) context.ReportWholeAxis(0, k, 0, k);
      continue;
    }
    context.Fix(result[k]);
    result[k] =
        context.FixedAxis(static_cast<int>(k), context.output_shape(0)[k]);
  }
  context.SetAxes(0, std::move(result));
}

constexpr NamedRule kRules[] = {
    {"Expand", Expand},
    {"Tile", Tile},
    {"Pad", Pad},
    {"Resize", Resize},
};

}  // namespace

std::span<const NamedRule> StretchRules() { return kRules; }

}  // namespace rebasin
