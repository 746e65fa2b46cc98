// Estimates the work of matching from the symmetry alone.

#include <algorithm>

#include "rebasin/match.h"

namespace rebasin {
namespace {

// Typical numbers, which are enough for an estimate.
constexpr double kPasses = 3;
constexpr double kAnnealingFactor = 20;

double Elements(const std::vector<Axis>& axes) {
  double elements = 1;
  for (const Axis& axis : axes) elements *= static_cast<double>(axis.size());
  return elements;
}

double FlopsOfPart(const std::vector<Axis>& axes) {
  double flops = 0;
  for (const Axis& axis : axes) {
    for (const Segment& segment : axis.segments) {
      for (const Factor& factor : segment) {
        if (factor.group == kNoGroup) continue;
        flops += 2.0 * Elements(axes) * static_cast<double>(factor.size);
      }
    }
  }
  return flops;
}

// Operations of the matrix products of one visit to every group: each group on
// an axis of n units multiplies the tensor with its counterpart, 2 n operations
// for each element.
double FlopsPerPass(const Symmetry& symmetry) {
  double flops = 0;
  for (const TensorSymmetry& tensor : symmetry.tensors()) {
    if (tensor.statistic) continue;
    for (size_t p = 0; p < tensor.parts(); ++p) {
      flops += FlopsOfPart(tensor.part(p));
    }
    if (tensor.in_list()) {
      const Group& list = symmetry.groups()[tensor.member.group];
      flops += 2.0 * Elements(tensor.axes) * static_cast<double>(list.size);
    }
  }
  return flops;
}

// A few cost matrices for each group.
double CostBytes(const Symmetry& symmetry) {
  double bytes = 0;
  for (size_t g = 0; g < symmetry.groups().size(); ++g) {
    const double n = static_cast<double>(symmetry.groups()[g].size);
    bytes += 4 * 4 * n * n *
             static_cast<double>(symmetry.Copies(static_cast<int>(g)));
  }
  return bytes;
}

double Effort(const MatchOptions& options) {
  const bool anneals = options.start == MatchStart::kAnnealed ||
                       options.start == MatchStart::kBest;
  return (anneals ? kAnnealingFactor : 1) + options.restarts;
}

}  // namespace

MatchEstimate EstimateMatch(const Symmetry& symmetry,
                            const MatchOptions& options) {
  return {.flops = FlopsPerPass(symmetry) * kPasses * Effort(options),
          .cost_bytes = std::min(CostBytes(symmetry),
                                 static_cast<double>(options.cost_memory))};
}

int TypicalVisits(ManyMethod method) {
  switch (method) {
    case ManyMethod::kMergeMany:
      return 25;
    case ManyMethod::kConsistent:
      return 90;
    case ManyMethod::kFrankWolfe:
      return 150;
  }
  return 0;
}

}  // namespace rebasin
