// Merges for Python.

#ifndef REBASIN_PYTHON_BINDINGS_MERGE_H_
#define REBASIN_PYTHON_BINDINGS_MERGE_H_

#include <nanobind/nanobind.h>

namespace rebasin::python {

void BindMerge(nanobind::module_& module);

}  // namespace rebasin::python

#endif  // REBASIN_PYTHON_BINDINGS_MERGE_H_
