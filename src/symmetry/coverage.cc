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

bool IsExempt(const Tensor& tensor, const CoverageOptions& options) {
  if (options.is_known && options.is_known(tensor)) return true;
  return options.floating ? !IsFloating(tensor.dtype) : tensor.shape.empty();
}

}  // namespace

void CheckCovered(const Symmetry& symmetry, const Checkpoint& checkpoint,
                  const CoverageOptions& options, const Run& run) {
  std::vector<std::string> refused, accepted;
  for (const Tensor& tensor : checkpoint.tensors()) {
    if (symmetry.Find(tensor.name) || IsExempt(tensor, options)) continue;
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
