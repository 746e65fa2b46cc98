#include "rebasin/align.h"

#include <vector>

#include "align/methods.h"
#include "rebasin/error.h"
#include "rebasin/match.h"

namespace rebasin {
namespace {

const AlignMethodRow& RowOf(const std::string& name) {
  for (const AlignMethodRow& row : AlignMethodRows()) {
    if (name == row.method.name) return row;
  }
  throw Error(ErrorCode::kUsage, "there is no method " + Quoted(name));
}

}  // namespace

std::span<const AlignMethod> AlignMethods() {
  static const std::vector<AlignMethod> methods = [] {
    std::vector<AlignMethod> all;
    for (const AlignMethodRow& row : AlignMethodRows()) {
      all.push_back(row.method);
    }
    return all;
  }();
  return methods;
}

const AlignMethod* FindAlignMethod(const std::string& name) {
  for (const AlignMethod& method : AlignMethods()) {
    if (name == method.name) return &method;
  }
  return nullptr;
}

MatchResult Align(const Checkpoint& a, const Checkpoint& b,
                  const std::shared_ptr<const Symmetry>& symmetry,
                  const AlignOptions& options, const Run& run) {
  const AlignMethodRow& row = RowOf(options.method);
  if (row.function == nullptr) {
    throw Error(ErrorCode::kUsage, options.method + " matching needs data",
                "use AlignWithData of rebasin/nn/align.h");
  }
  if (row.scales || symmetry->scalings().empty()) {
    return row.function(a, b, symmetry, options.match, run);
  }
  return MatchScaled(
      a, b, symmetry,
      [&](const Checkpoint& x, const Checkpoint& y,
          const std::shared_ptr<const Symmetry>& plain) {
        return row.function(x, y, plain, options.match, run);
      },
      run);
}

MatchResult Align(const Model& a, const Model& b, const AlignOptions& options,
                  const Run& run) {
  return Align(a.weights, b.weights, a.symmetry(), options, run);
}

}  // namespace rebasin
