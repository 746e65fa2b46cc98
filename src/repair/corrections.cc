// Applies scales and shifts of a value's channels to weights.
//
// With y = W x + b, new y = s y + t comes from s W and s b + t, channel by
// channel; with a norm, y = g n + b, from s g and s b + t.

#include <algorithm>
#include <cmath>

#include "rebasin/error.h"
#include "rebasin/repair.h"
#include "repair/edits.h"

namespace rebasin {
namespace {

std::string SiteText(const RepairSite& site) {
  return "the correction of " + Quoted(site.scaled.at(0).weight);
}

void CheckList(const RepairSite& site, const std::vector<double>& list,
               const char* what) {
  if (list.empty()) return;
  if (static_cast<int64_t>(list.size()) != site.channels) {
    throw Error(ErrorCode::kUsage,
                SiteText(site) + " has " + std::to_string(list.size()) + " " +
                    what + " for " + std::to_string(site.channels) +
                    " channels");
  }
  const bool finite = std::all_of(list.begin(), list.end(),
                                  [](double x) { return std::isfinite(x); });
  if (finite) return;
  throw Error(ErrorCode::kUsage,
              SiteText(site) + " has " + what + " that are not finite");
}

void CheckCorrection(const Correction& correction) {
  const RepairSite& site = correction.site;
  if (site.scaled.empty()) {
    throw Error(ErrorCode::kUsage, "a correction without weights");
  }
  CheckList(site, correction.scale, "scales");
  CheckList(site, correction.shift, "shifts");
  const bool shifts =
      std::any_of(correction.shift.begin(), correction.shift.end(),
                  [](double x) { return x != 0; });
  if (shifts && !site.can_shift()) {
    throw Error(ErrorCode::kUnsupported,
                SiteText(site) + " shifts a layer that has no bias");
  }
}

// Calls change(channel, element) for each element of the weight.
template <typename Change>
void ForEachElement(Edits& edits, const WeightAxis& weight, int64_t channels,
                    Change change) {
  const Shape& shape = WeightIn(edits.model(), weight.weight).shape;
  const auto rank = static_cast<int64_t>(shape.size());
  if (weight.axis < 0 || weight.axis >= rank ||
      shape[weight.axis] != channels) {
    throw Error(ErrorCode::kMismatch,
                "weight " + Quoted(weight.weight) + " of shape " +
                    ShapeText(shape) + " does not have " +
                    std::to_string(channels) + " channels on axis " +
                    std::to_string(weight.axis));
  }
  int64_t inner = 1;
  for (int64_t a = weight.axis + 1; a < rank; ++a) inner *= shape[a];
  std::vector<double>& values = edits.Values(weight.weight);
  for (size_t i = 0; i < values.size(); ++i) {
    change(static_cast<size_t>(static_cast<int64_t>(i) / inner % channels),
           values[i]);
  }
}

void Apply(const Correction& correction, Edits& edits) {
  const RepairSite& site = correction.site;
  if (!correction.scale.empty()) {
    for (const WeightAxis& weight : site.scaled) {
      ForEachElement(edits, weight, site.channels,
                     [&](size_t channel, double& value) {
                       value *= correction.scale[channel];
                     });
    }
  }
  if (correction.shift.empty() || !site.can_shift()) return;
  ForEachElement(edits, site.shifted, site.channels,
                 [&](size_t channel, double& value) {
                   value += correction.shift[channel];
                 });
}

}  // namespace

Checkpoint ApplyCorrections(const Checkpoint& model,
                            std::span<const Correction> corrections) {
  Edits edits(model);
  for (const Correction& correction : corrections) {
    CheckCorrection(correction);
    Apply(correction, edits);
  }
  return edits.Finish();
}

}  // namespace rebasin
