#include <set>
#include <utility>

#include "discovery/tables.h"
#include "graph/constant_weights.h"
#include "model/structure.h"
#include "onnx/names.h"
#include "onnx/onnx.h"
#include "rebasin/error.h"
#include "rebasin/model.h"
#include "symmetry/rename.h"

namespace rebasin {
namespace {

// Returns a predicate: whether a tensor is, or has the name of, a constant of
// the graph.
std::function<bool(const Tensor&)> TablesOf(const Graph& graph) {
  std::set<std::string> constants;
  for (const Value& value : graph.values()) {
    if (value.role == Role::kConstant) constants.insert(value.name);
  }
  return [constants](const Tensor& tensor) {
    return constants.contains(tensor.name) || IsNamedLikeTable(tensor.name);
  };
}

// Tensors that the alignment does not describe would stay while others move. An
// .onnx file has other tensors too, so its graph decides which are tables; so
// does an .onnx file given beside the model.
void CheckCoverage(const Model& model, const Alignment& alignment,
                   const StructureOptions& asked, const Run& run) {
  if (!model.file.empty() && IsOnnx(model.file)) return;
  CoverageOptions options = CoverageOf(asked);
  options.floating = true;
  options.subject = "the alignment";
  if (model.structure.exported()) options.is_known = TablesOf(*model.graph());
  alignment.symmetry().CheckFits(model.weights, options, run);
}

}  // namespace

std::string AlignmentJson(const Model& model, const Alignment& alignment) {
  if (model.own_names.empty()) {
    return alignment.ToJson(Fingerprint(model.weights));
  }
  return RenameTensors(alignment, model.own_names)
      .ToJson(Fingerprint(RenameTensors(model.weights, model.own_names)));
}

Model AdaptToAlignment(Model model, const Alignment& alignment,
                       const StructureOptions& options, const Run& run) {
  CheckCoverage(model, alignment, options, run);
  Structure& structure = model.structure;
  if (!structure.exported()) return model;
  structure.held = TablesFixedBy(alignment.symmetry(), *structure.symmetry);
  structure.graph = std::make_shared<const Graph>(WithConstantWeights(
      *structure.graph, TensorsNamed(model.weights, structure.held)));
  return model;
}

}  // namespace rebasin
