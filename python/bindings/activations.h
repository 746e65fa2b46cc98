// Matching by activations that Python computed, with any framework.

#ifndef REBASIN_PYTHON_BINDINGS_ACTIVATIONS_H_
#define REBASIN_PYTHON_BINDINGS_ACTIVATIONS_H_

#include <nanobind/nanobind.h>

namespace rebasin::python {

void BindActivations(nanobind::module_& module);

}  // namespace rebasin::python

#endif  // REBASIN_PYTHON_BINDINGS_ACTIVATIONS_H_
