// Three-way merges: what models changed since their base, and which rule fits.

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/parallel.h"
#include "merge/checks.h"
#include "permute/same_tensor.h"
#include "rebasin/error.h"
#include "rebasin/merge.h"

namespace rebasin {
namespace {

PermutedTensor PermutedTensorOf(const MergeInput& input,
                                const std::string& name) {
  return PermutedTensor(*input.model, name, input.alignment);
}

// The models whose tensor differs from the base, at most two of them.
std::vector<size_t> ChangedBy(std::span<const MergeInput> models,
                              const PermutedTensor& base, ThreadPool& pool) {
  std::vector<size_t> changed;
  for (size_t m = 0; m < models.size() && changed.size() < 2; ++m) {
    const auto now = PermutedTensorOf(models[m], base.tensor().name);
    if (!SameTensor(base, now, pool)) changed.push_back(m);
  }
  return changed;
}

bool AllSame(std::span<const MergeInput> models, const std::string& name,
             ThreadPool& pool) {
  const PermutedTensor first = PermutedTensorOf(models[0], name);
  return std::all_of(
      models.begin() + 1, models.end(), [&](const MergeInput& input) {
        return SameTensor(first, PermutedTensorOf(input, name), pool);
      });
}

std::string Percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", 100 * share);
  return text;
}

std::string Decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

std::string ChangesText(const ThreeWayEvidence& evidence) {
  return "ours changed by " + Percent(evidence.ours) + ", theirs by " +
         Percent(evidence.theirs) + " of the base's size";
}

const Alignment* Pointer(const std::optional<Alignment>& alignment) {
  return alignment ? &*alignment : nullptr;
}

ThreeWayPlan PlanMean(const Checkpoint& ours, const Checkpoint& theirs,
                      const Matcher& match, ThreeWayPlan plan) {
  plan.base.reset();
  if (match) plan.theirs = match(ours, theirs);
  return plan;
}

}  // namespace

ThreeWayChoice ChooseThreeWay(const ThreeWayEvidence& evidence) {
  const std::string changes = ChangesText(evidence);
  // Written so that NaN also returns here.
  if (!(evidence.ours <= kLargestChange && evidence.theirs <= kLargestChange)) {
    return {false, changes + ", more than fine-tuning does (" +
                       Percent(kLargestChange) + ")"};
  }
  const std::string cosine =
      ", cosine of the changes " + Decimal(evidence.cosine);
  if (!(evidence.cosine <= kLargestOverlap)) {
    return {false,
            changes + cosine +
                ": largely the same change, which a sum would apply twice"};
  }
  return {true, changes + cosine + ": both models are close to the base"};
}

ThreeWayPlan PlanThreeWay(const Checkpoint& ours, const Checkpoint& theirs,
                          const Checkpoint& base, ThreeWay rule,
                          const Matcher& match, const Run& run) {
  CheckSameStructure(ours, theirs);
  if (rule == ThreeWay::kMean) {
    ThreeWayPlan plan;
    plan.choice = {false, "requested"};
    return PlanMean(ours, theirs, match, std::move(plan));
  }
  CheckBase(ours, base);
  ThreeWayPlan plan;
  if (match) {
    const Alignment to_base = match(base, theirs);
    plan.base = match(ours, base);
    plan.theirs = to_base.Then(*plan.base);
  }
  plan.evidence = MeasureChanges({&ours}, {&theirs, Pointer(plan.theirs)},
                                 {&base, Pointer(plan.base)}, run);
  plan.choice = ChooseThreeWay(*plan.evidence);
  if (rule == ThreeWay::kDelta) {
    plan.choice = {true, "requested; " + ChangesText(*plan.evidence)};
  }
  return plan.choice.delta ? plan
                           : PlanMean(ours, theirs, match, std::move(plan));
}

std::map<std::string, size_t> TensorsChangedByOne(
    std::span<const MergeInput> models, const MergeInput& base,
    const Run& run) {
  CheckModels(models);
  ThreadPool pool(run);
  std::map<std::string, size_t> alone;
  for (const Tensor& tensor : base.model->tensors()) {
    if (models[0].model->Find(tensor.name) == nullptr) continue;
    const std::vector<size_t> changed =
        ChangedBy(models, PermutedTensorOf(base, tensor.name), pool);
    if (changed.size() == 1) alone[tensor.name] = changed[0];
  }
  return alone;
}

std::map<std::string, size_t> TensorsChangedAlike(
    std::span<const MergeInput> models, const MergeInput& base,
    const Run& run) {
  CheckModels(models);
  ThreadPool pool(run);
  std::map<std::string, size_t> alike;
  for (const Tensor& tensor : base.model->tensors()) {
    const std::string& name = tensor.name;
    if (models[0].model->Find(name) == nullptr) continue;
    if (!AllSame(models, name, pool)) continue;
    const PermutedTensor before = PermutedTensorOf(base, name);
    if (!SameTensor(before, PermutedTensorOf(models[0], name), pool)) {
      alike[name] = 0;
    }
  }
  return alike;
}

}  // namespace rebasin
