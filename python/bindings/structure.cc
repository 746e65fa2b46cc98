#include "python/bindings/structure.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <vector>

#include "rebasin/model.h"
#include "rebasin/symmetry.h"
#include "rebasin/zoo.h"

namespace rebasin::python {
namespace {

namespace nb = nanobind;

// Name, size, name of the outer group (empty: none), copies.
using GroupRow = std::tuple<std::string, int64_t, std::string, int64_t>;
// Name, axis expressions, whether it is a statistic.
using AxesRow = std::tuple<std::string, std::vector<std::string>, bool>;

std::vector<GroupRow> Groups(const Structure& structure) {
  std::vector<GroupRow> rows;
  if (!structure.symmetry) return rows;
  const auto& groups = structure.symmetry->groups();
  for (size_t g = 0; g < groups.size(); ++g) {
    rows.emplace_back(
        groups[g].name, groups[g].size,
        groups[g].parent == kNoGroup ? "" : groups[groups[g].parent].name,
        structure.symmetry->Copies(static_cast<int>(g)));
  }
  return rows;
}

std::vector<AxesRow> Axes(const Structure& structure) {
  std::vector<AxesRow> rows;
  if (!structure.symmetry) return rows;
  for (const TensorSymmetry& tensor : structure.symmetry->tensors()) {
    rows.emplace_back(tensor.name,
                      AxisTexts(tensor, structure.symmetry->groups()),
                      tensor.statistic);
  }
  return rows;
}

std::vector<FixedAxis> Fixed(const Structure& structure) {
  return structure.discovery ? structure.discovery->fixed
                             : std::vector<FixedAxis>();
}

std::vector<std::string> Barriers(const Structure& structure) {
  return structure.discovery ? structure.discovery->barriers
                             : std::vector<std::string>();
}

}  // namespace

void BindStructure(nb::module_& module) {
  nb::class_<FixedAxis>(module, "FixedAxis",
                        "Indices of an axis that are not permuted, and why.")
      .def_ro("weight", &FixedAxis::weight)
      .def_ro("axis", &FixedAxis::axis)
      .def_ro("indices", &FixedAxis::indices)
      .def_ro("reason", &FixedAxis::reason)
      .def_ro("cause", &FixedAxis::cause);
  nb::class_<Structure>(module, "Structure",
                        "What is known about the use of a model's weights.")
      .def_ro("name", &Structure::name)
      .def_ro("recognised", &Structure::recognised)
      .def_ro("evidence", &Structure::evidence)
      .def_ro("reason", &Structure::reason)
      .def_ro("hint", &Structure::hint)
      .def_ro("held", &Structure::held)
      .def_prop_ro("known", &Structure::known)
      .def_prop_ro("has_graph",
                   [](const Structure& self) { return self.graph != nullptr; })
      .def_prop_ro("log10_order",
                   [](const Structure& self) {
                     return self.symmetry ? self.symmetry->Log10Order() : 0.0;
                   })
      .def_prop_ro("spec_json",
                   [](const Structure& self) {
                     return self.symmetry ? self.symmetry->ToJson() : "";
                   })
      .def("groups", Groups)
      .def("axes", Axes)
      .def("fixed", Fixed)
      .def("barriers", Barriers);
}

}  // namespace rebasin::python
