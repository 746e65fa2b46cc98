// The extension module pyrebasin._core: the library's types and functions as
// they are. The package around it gives them the shape that Python users
// expect.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <vector>

#include "python/bindings/activations.h"
#include "python/bindings/align.h"
#include "python/bindings/arrays.h"
#include "python/bindings/compare.h"
#include "python/bindings/errors.h"
#include "python/bindings/merge.h"
#include "python/bindings/models.h"
#include "python/bindings/operation.h"
#include "python/bindings/reports.h"
#include "python/bindings/structure.h"
#include "rebasin/align.h"
#include "rebasin/version.h"

namespace rebasin::python {
namespace {

// Name, help, whether data is needed.
using MethodRow = std::tuple<std::string, std::string, bool>;

std::vector<MethodRow> Methods() {
  std::vector<MethodRow> rows;
  for (const AlignMethod& method : AlignMethods()) {
    rows.emplace_back(method.name, method.help, method.needs_data);
  }
  return rows;
}

}  // namespace
}  // namespace rebasin::python

NB_MODULE(_core, module) {
  using namespace rebasin::python;
  module.attr("version") = REBASIN_VERSION;
  BindErrors(module);
  BindOperation(module);
  BindArrays(module);
  BindReports(module);
  BindStructure(module);
  BindModels(module);
  BindAlign(module);
  BindMerge(module);
  BindCompare(module);
  BindActivations(module);
  module.def("methods", Methods);
}
