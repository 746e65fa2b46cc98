#include "symmetry/coverage.h"

#include <fnmatch.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/quoted_list.h"
#include "base/text.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

bool MatchesAny(const std::string& name,
                const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) {
                       return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
                     });
}

// Includes types that are only copied, such as F8.
bool IsFloating(DType dtype) {
  const std::string_view name = DTypeName(dtype);
  return name.starts_with("F") || name.starts_with("BF") ||
         name.starts_with("C");
}

std::string_view ModuleOf(std::string_view name) {
  return name.substr(0, name.rfind('.') + 1);
}

bool IsMoved(const Axis& axis) {
  return std::any_of(
      axis.segments.begin(), axis.segments.end(), [](const Segment& segment) {
        return std::any_of(
            segment.begin(), segment.end(),
            [](const Factor& factor) { return factor.group != kNoGroup; });
      });
}

// Whether the tensor is as large as the weight, or as long as an axis of it
// that moves.
bool HasSizesOf(const Tensor& tensor, const TensorSymmetry& weight) {
  bool same = tensor.shape.size() == weight.axes.size(), moved = false;
  for (size_t a = 0; a < weight.axes.size(); ++a) {
    const bool moves = IsMoved(weight.axes[a]);
    if (moves && tensor.shape == Shape{weight.size(a)}) return true;
    same = same && tensor.shape[a] == weight.size(a);
    moved |= moves;
  }
  return same && moved;
}

// Masks, and weights made integers, would have to move with the weights of
// their layer. Counters and positions need not.
bool StandsForAWeight(const Tensor& tensor, const Symmetry& symmetry) {
  const std::string_view module = ModuleOf(tensor.name);
  return std::any_of(symmetry.tensors().begin(), symmetry.tensors().end(),
                     [&](const TensorSymmetry& weight) {
                       return ModuleOf(weight.name) == module &&
                              HasSizesOf(tensor, weight);
                     });
}

bool IsExempt(const Tensor& tensor, const Symmetry& symmetry,
              const CoverageOptions& options) {
  if (options.is_known && options.is_known(tensor)) return true;
  if (!options.floating) return tensor.shape.empty();
  return !IsFloating(tensor.dtype) && !StandsForAWeight(tensor, symmetry);
}

}  // namespace

void CheckCovered(const Symmetry& symmetry, const Checkpoint& checkpoint,
                  const CoverageOptions& options, const Run& run) {
  std::vector<std::string> refused, accepted;
  for (const Tensor& tensor : checkpoint.tensors()) {
    if (symmetry.Find(tensor.name) || IsExempt(tensor, symmetry, options)) {
      continue;
    }
    const bool allowed =
        options.allow_uncovered || MatchesAny(tensor.name, options.allowed);
    (allowed ? accepted : refused).push_back(tensor.name);
  }
  const auto text = [&](const std::vector<std::string>& names) {
    return Count(static_cast<int64_t>(names.size()), "tensor") +
           " of the model " + (names.size() == 1 ? "is" : "are") + " not in " +
           options.subject + ": " + QuotedList(names);
  };
  if (!refused.empty()) {
    throw Error(ErrorCode::kMismatch, text(refused),
                "describe them, or leave them unpermuted with "
                "--allow-uncovered=NAME");
  }
  if (!accepted.empty()) run.Warn(text(accepted) + "; left unpermuted");
}

}  // namespace rebasin
