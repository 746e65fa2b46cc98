// The reports of matching and of proofs, for Python.

#ifndef REBASIN_PYTHON_BINDINGS_REPORTS_H_
#define REBASIN_PYTHON_BINDINGS_REPORTS_H_

#include <nanobind/nanobind.h>

namespace rebasin::python {

void BindReports(nanobind::module_& module);

}  // namespace rebasin::python

#endif  // REBASIN_PYTHON_BINDINGS_REPORTS_H_
