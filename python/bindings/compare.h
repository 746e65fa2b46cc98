// Comparing models, and proving that permuting changes nothing, for Python.

#ifndef REBASIN_PYTHON_BINDINGS_COMPARE_H_
#define REBASIN_PYTHON_BINDINGS_COMPARE_H_

#include <nanobind/nanobind.h>

namespace rebasin::python {

void BindCompare(nanobind::module_& module);

}  // namespace rebasin::python

#endif  // REBASIN_PYTHON_BINDINGS_COMPARE_H_
