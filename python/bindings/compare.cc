#include "python/bindings/compare.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/bindings/align.h"
#include "python/bindings/operation.h"
#include "rebasin/align.h"

namespace rebasin::python {
namespace {

namespace nb = nanobind;

// The outcome of comparing two models.
struct Difference {
  // "identical", "equal_modulo_symmetry", "different" or "different_graphs".
  std::string verdict = {};
  std::optional<FittedAlignment> alignment = {};
  std::vector<std::string> graph_differences = {};
};

// A symmetry for models of unknown structure: everything is fixed.
std::shared_ptr<const Symmetry> NoSymmetry(const Checkpoint& model) {
  std::vector<TensorSymmetry> tensors;
  for (const Tensor& tensor : model.tensors()) {
    TensorSymmetry fixed{.name = tensor.name, .axes = {}};
    for (const int64_t size : tensor.shape) {
      fixed.axes.push_back({.segments = {{{kNoGroup, size}}}});
    }
    tensors.push_back(std::move(fixed));
  }
  return std::make_shared<const Symmetry>(std::vector<Group>(),
                                          std::move(tensors));
}

Difference CompareWeights(const Model& a, const Model& b,
                          const MatchOptions& options, const Run& run) {
  if (SameContent(a.weights, b.weights, nullptr, run)) {
    return {.verdict = "identical"};
  }
  const bool known = a.structure.known();
  if (!known) run.Warn("compared without alignment: " + a.structure.reason);
  MatchResult match =
      MatchWeights(a.weights, b.weights,
                   known ? a.symmetry() : NoSymmetry(a.weights), options, run);
  Difference difference{.verdict = "different"};
  if (known && SameContent(a.weights, b.weights, &match.alignment, run)) {
    difference.verdict = "equal_modulo_symmetry";
  }
  difference.alignment = FitTo(b, std::move(match.alignment));
  difference.alignment->report = std::move(match.report);
  return difference;
}

Difference Compare(const Model& a, const Model& b, const MatchOptions& options,
                   const Settings& how) {
  return RunOperation(how, [&](const Run& run) {
    if (b.graph_differences.empty()) return CompareWeights(a, b, options, run);
    Difference difference{.verdict = "different_graphs"};
    for (const GraphDifference& one : b.graph_differences) {
      difference.graph_differences.push_back(one.text());
    }
    return difference;
  });
}

// As the command line chooses them.
std::vector<Alignment> RandomElements(const Model& model, int trials,
                                      uint64_t seed) {
  constexpr int kMinTrials = 3;
  const int count =
      trials > 0 ? trials
                 : std::max(kMinTrials, EnoughElements(*model.symmetry()));
  std::vector<Alignment> elements;
  for (int i = 0; i < count; ++i) {
    elements.push_back(
        Alignment::Random(model.symmetry(), seed + static_cast<uint64_t>(i)));
  }
  return elements;
}

VerifyReport Verify(const Model& model, const FittedAlignment* alignment,
                    int trials, const Settings& how) {
  return RunOperation(how, [&](const Run& run) {
    return VerifyModel(model,
                       alignment != nullptr
                           ? std::vector{alignment->InOwnNames()}
                           : RandomElements(model, trials, run.seed),
                       run);
  });
}

}  // namespace

void BindCompare(nb::module_& module) {
  nb::class_<Difference>(module, "Difference", "How two models differ.")
      .def_ro("verdict", &Difference::verdict)
      .def_ro("alignment", &Difference::alignment)
      .def_ro("graph_differences", &Difference::graph_differences);
  module.def("compare", Compare, nb::arg("a"), nb::arg("b"), nb::arg("options"),
             nb::arg("run"));
  module.def("verify", Verify, nb::arg("model"), nb::arg("alignment").none(),
             nb::arg("trials"), nb::arg("run"));
}

}  // namespace rebasin::python
