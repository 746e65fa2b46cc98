// Arrays of Python as tensors, and tensors as arrays, both without a copy.

#ifndef REBASIN_PYTHON_BINDINGS_ARRAYS_H_
#define REBASIN_PYTHON_BINDINGS_ARRAYS_H_

#include <nanobind/nanobind.h>

namespace rebasin::python {

// Binds Weights, which is a Checkpoint.
void BindArrays(nanobind::module_& module);

}  // namespace rebasin::python

#endif  // REBASIN_PYTHON_BINDINGS_ARRAYS_H_
