// What is known about a model's structure, for Python.

#ifndef REBASIN_PYTHON_BINDINGS_STRUCTURE_H_
#define REBASIN_PYTHON_BINDINGS_STRUCTURE_H_

#include <nanobind/nanobind.h>

namespace rebasin::python {

void BindStructure(nanobind::module_& module);

}  // namespace rebasin::python

#endif  // REBASIN_PYTHON_BINDINGS_STRUCTURE_H_
