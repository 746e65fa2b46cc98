#include "model/own_graphs.h"

#include <algorithm>
#include <string>
#include <vector>

#include "graph/compare.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

bool HasSameNumbers(const Tensor& x, const Tensor& y) {
  return x.dtype == y.dtype && x.shape == y.shape &&
         std::equal(x.bytes.begin(), x.bytes.end(), y.bytes.begin(),
                    y.bytes.end());
}

}  // namespace

void CheckOwnGraphs(const Structure& structure,
                    std::span<const FileWithGraph> files) {
  if (structure.origin == Structure::Origin::kOwnGraph) return;
  for (const auto& [model, graph] : files) {
    if (graph == nullptr) continue;
    const auto differences = CompareGraphs(*structure.graph, *graph);
    if (differences.empty()) continue;
    throw Error(ErrorCode::kMismatch,
                Quoted(model.name) + " has a graph of its own, which differs " +
                    "from that of " + Quoted(structure.name) +
                    ", called A: " + differences[0].text(),
                "leave out --model: the file's own graph is used then");
  }
}

void CheckSameConstants(const Structure& structure,
                        std::span<const FileWithGraph> files) {
  for (const Value& value : structure.graph->values()) {
    if (value.role != Role::kConstant) continue;
    const Tensor* first = files[0].model.weights.Find(value.name);
    if (first == nullptr) continue;
    for (const FileWithGraph& file : files.subspan(1)) {
      const Tensor* other = file.model.weights.Find(value.name);
      if (other == nullptr || HasSameNumbers(*first, *other)) continue;
      throw Error(
          ErrorCode::kMismatch,
          "tensor " + Quoted(value.name) + " is a constant of the graph, " +
              "and differs between " + Quoted(files[0].model.name) + " and " +
              Quoted(file.model.name) + ": they compute different functions",
          IsArithmetic(first->dtype)
              ? "if it is trained, say --trained " + value.name
              : "");
    }
  }
}

}  // namespace rebasin
