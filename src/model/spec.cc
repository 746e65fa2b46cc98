#include "model/spec.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "rebasin/error.h"
#include "symmetry/names.h"

namespace rebasin {
namespace {

// A word without a dot or slash that is no file must be a misspelt name.
bool IsMisspeltName(const std::string& text) {
  std::error_code ignored;
  return text.find_first_of("./") == std::string::npos &&
         !std::filesystem::exists(text, ignored);
}

Symmetry LoadSpec(const std::string& text, const Checkpoint& weights) {
  if (text == "mlp") return InferMlp(weights);
  if (IsMisspeltName(text)) {
    const std::string hint = DidYouMean(text, std::vector<std::string>{"mlp"});
    throw Error(ErrorCode::kUsage,
                "--spec " + Quoted(text) + " is neither a file nor mlp",
                hint.empty() ? "architectures are chosen with --model" : hint);
  }
  return Symmetry::Load(text);
}

}  // namespace

Symmetry OpenSpec(const std::string& text, const Checkpoint& weights,
                  const DiscoverOptions& asked) {
  const Symmetry spec = LoadSpec(text, weights);
  std::vector<Scaling> scalings;
  for (const Scaling& scaling : spec.scalings()) {
    const bool sign = scaling.kind == ScalingKind::kSign;
    if (sign ? asked.signs : asked.scales) scalings.push_back(scaling);
  }
  if (scalings.empty() && (asked.scales || asked.signs)) {
    throw Error(ErrorCode::kUsage,
                "the spec has no scalings as --symmetries asks for",
                "give --model, where they are found, or add \"scalings\" to "
                "the spec");
  }
  return Symmetry(spec.groups(), spec.tensors(), std::move(scalings));
}

}  // namespace rebasin
