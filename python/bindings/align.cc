#include "python/bindings/align.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "python/bindings/choices.h"
#include "python/bindings/operation.h"
#include "rebasin/align.h"
#include "rebasin/model.h"
#include "symmetry/rename.h"

namespace rebasin::python {
namespace {

namespace nb = nanobind;

using Permutation = nb::ndarray<nb::numpy, int32_t>;
using Factors = nb::ndarray<nb::numpy, double>;
using PermutationRow = std::tuple<std::string, Permutation>;
// Group, "scale" or "sign", factors.
using FactorsRow = std::tuple<std::string, std::string, Factors>;

// An array of copies x units, or of units if the group has no outer one.
template <class Array, class T>
Array NewArray(std::vector<T> values, const Symmetry& symmetry, int group) {
  auto* owner = new std::vector<T>(std::move(values));
  const nb::capsule capsule(owner, [](void* kept) noexcept {
    delete static_cast<std::vector<T>*>(kept);
  });
  const Group& row = symmetry.groups()[group];
  const auto units = static_cast<size_t>(row.size);
  if (row.parent == kNoGroup) return Array(owner->data(), {units}, capsule);
  const auto copies = static_cast<size_t>(symmetry.Copies(group));
  return Array(owner->data(), {copies, units}, capsule);
}

std::vector<PermutationRow> Permutations(const FittedAlignment& self) {
  const Symmetry& symmetry = self.alignment.symmetry();
  std::vector<PermutationRow> rows;
  for (int g = 0; g < static_cast<int>(symmetry.groups().size()); ++g) {
    std::vector<int32_t> all;
    for (int64_t copy = 0; copy < symmetry.Copies(g); ++copy) {
      const auto one = self.alignment.permutation(g, copy);
      all.insert(all.end(), one.begin(), one.end());
    }
    rows.emplace_back(symmetry.groups()[g].name,
                      NewArray<Permutation>(std::move(all), symmetry, g));
  }
  return rows;
}

std::vector<FactorsRow> AllFactors(const FittedAlignment& self) {
  const Symmetry& symmetry = self.alignment.symmetry();
  std::vector<FactorsRow> rows;
  for (size_t s = 0; s < symmetry.scalings().size(); ++s) {
    const Scaling& scaling = symmetry.scalings()[s];
    const auto all = self.alignment.all_factors(static_cast<int>(s));
    rows.emplace_back(
        symmetry.groups()[scaling.group].name,
        scaling.kind == ScalingKind::kSign ? "sign" : "scale",
        NewArray<Factors>(std::vector<double>(all.begin(), all.end()), symmetry,
                          scaling.group));
  }
  return rows;
}

int64_t UnitsMoved(const FittedAlignment& self) {
  int64_t moved = 0;
  const size_t groups = self.alignment.symmetry().groups().size();
  for (size_t g = 0; g < groups; ++g) {
    moved += self.alignment.UnitsMoved(static_cast<int>(g));
  }
  return moved;
}

FittedAlignment Find(const Model& a, const Model& b, const std::string& method,
                     const MatchOptions& options, const Settings& how) {
  CheckMethod("method", method);
  return RunOperation(how, [&](const Run& run) {
    MatchResult found = Align(a, b, {method, options}, run);
    a.weights.CheckUnchanged();
    b.weights.CheckUnchanged();
    FittedAlignment fitted = FitTo(b, std::move(found.alignment));
    fitted.report = std::move(found.report);
    return fitted;
  });
}

FittedAlignment FromJson(const std::string& text, const std::string& origin,
                         const std::string& fingerprint) {
  return {.alignment = Alignment::FromJson(text, origin, ""),
          .fingerprint = fingerprint};
}

std::tuple<Checkpoint, std::optional<VerifyReport>> Apply(
    const FittedAlignment& self, const Model& model, bool verify,
    const Settings& how) {
  return RunOperation(how, [&](const Run& run) {
    const Alignment alignment = self.InOwnNames();
    const Model adapted = AdaptToAlignment(model, alignment, {}, run);
    std::optional<VerifyReport> report;
    if (verify) report = Prove(adapted, alignment, run);
    return std::tuple(Permute(model.weights, alignment, run),
                      std::move(report));
  });
}

void BindMatchOptions(nb::module_& module) {
  nb::class_<MatchOptions>(module, "MatchOptions", "How weights are matched.")
      .def(
          "__init__",
          [](MatchOptions* self, const std::string& start,
             const std::string& order, int restarts, int max_passes,
             bool balance) {
            new (self) MatchOptions{.start = ParseStart(start),
                                    .random_order = ParseRandomOrder(order),
                                    .restarts = restarts,
                                    .max_passes = max_passes,
                                    .balance = balance};
          },
          nb::kw_only(), nb::arg("start"), nb::arg("order"),
          nb::arg("restarts"), nb::arg("max_passes"), nb::arg("balance"));
}

void BindAlignment(nb::module_& module) {
  nb::class_<FittedAlignment>(module, "Alignment",
                              "A permutation and factors for each group.")
      .def_static("from_json", FromJson, nb::arg("text"), nb::arg("origin"),
                  nb::arg("fingerprint"))
      .def_static(
          "check",
          [](const std::string& text, const std::string& origin,
             const std::string& fingerprint) {
            Alignment::FromJson(text, origin, fingerprint);
          },
          nb::arg("text"), nb::arg("origin"), nb::arg("fingerprint"))
      .def_static(
          "identity",
          [](const Model& model) {
            return FitTo(model, Alignment(model.symmetry()));
          },
          nb::arg("model"))
      .def_static(
          "random",
          [](const Model& model, uint64_t seed) {
            return FitTo(model, Alignment::Random(model.symmetry(), seed));
          },
          nb::arg("model"), nb::arg("seed"))
      .def_ro("report", &FittedAlignment::report)
      .def_ro("fingerprint", &FittedAlignment::fingerprint)
      .def("tensor_names",
           [](const FittedAlignment& self) {
             std::vector<std::string> names;
             const Alignment own = self.InOwnNames();
             for (const auto& tensor : own.symmetry().tensors()) {
               names.push_back(tensor.name);
             }
             return names;
           })
      .def("to_json", &FittedAlignment::ToJson)
      .def("permutations", Permutations)
      .def("factors", AllFactors)
      .def_prop_ro("units_moved", UnitsMoved)
      .def_prop_ro("is_identity",
                   [](const FittedAlignment& self) {
                     return self.alignment.IsIdentity();
                   })
      .def("inverse",
           [](const FittedAlignment& self) {
             return FittedAlignment{.alignment = self.alignment.Inverse(),
                                    .fingerprint = self.fingerprint,
                                    .own_names = self.own_names};
           })
      .def("equals",
           [](const FittedAlignment& self, const FittedAlignment& other) {
             return self.alignment == other.alignment;
           });
}

}  // namespace

FittedAlignment FitTo(const Model& model, Alignment alignment) {
  const Checkpoint own = model.own_names.empty()
                             ? model.weights
                             : RenameTensors(model.weights, model.own_names);
  return {.alignment = std::move(alignment),
          .fingerprint = Fingerprint(own),
          .own_names = model.own_names};
}

Alignment FittedAlignment::InOwnNames() const {
  return own_names.empty() ? alignment : RenameTensors(alignment, own_names);
}

std::string FittedAlignment::ToJson() const {
  return InOwnNames().ToJson(fingerprint);
}

void BindAlign(nb::module_& module) {
  BindMatchOptions(module);
  BindAlignment(module);
  module.def("align", Find, nb::arg("a"), nb::arg("b"), nb::arg("method"),
             nb::arg("options"), nb::arg("run"));
  module.def("apply", Apply, nb::arg("alignment"), nb::arg("model"),
             nb::arg("verify"), nb::arg("run"));
}

}  // namespace rebasin::python
