// Operators that read an image at places given by another input. Each channel
// is read by itself at the same places, so channels pass to the output. The
// positions of the image and the coordinates of a place are not treated alike
// and are fixed. The places are output in the order in which they are given.

#include "discovery/rules/rules.h"

namespace rebasin {
namespace {

constexpr int kBatch = 0;
constexpr int kChannel = 1;
constexpr int kCoordinate = 2;
constexpr int kPlace = 100;
constexpr int kPosition = 200;

// y[n, c, places] = x[n, c] read at grid[n, places].
void GridSample(RuleContext& context) {
  Labels x = {kBatch, kChannel};
  Labels grid = {kBatch};
  Labels y = {kBatch, kChannel};
  std::set<int> fixed = {kCoordinate};
  const int spatial = static_cast<int>(context.shape(0).size()) - 2;
  for (int k = 0; k < spatial; ++k) {
    x.push_back(kPosition + k);
    grid.push_back(kPlace + k);
    y.push_back(kPlace + k);
    fixed.insert(kPosition + k);
  }
  grid.push_back(kCoordinate);
  context.Apply(
      {.inputs = {x, grid}, .outputs = {y}, .mixed = fixed, .fixed = fixed});
}

// y[r, c] = bins of x[batch of r, c] within the box rois[r].
void RoiAlign(RuleContext& context) {
  constexpr int kRoi = 10;
  const std::set<int> fixed = {kBatch, kCoordinate, kPosition, kPosition + 1};
  context.Apply({.inputs = {{kBatch, kChannel, kPosition, kPosition + 1},
                            {kRoi, kCoordinate},
                            {kRoi}},
                 .outputs = {{kRoi, kChannel, kNoLabel, kNoLabel}},
                 .mixed = fixed,
                 .fixed = fixed});
}

constexpr NamedRule kRules[] = {
    {"GridSample", GridSample},
    {"RoiAlign", RoiAlign},
};

}  // namespace

std::span<const NamedRule> SamplingRules() { return kRules; }

}  // namespace rebasin
