// Models for Python: opened, described and written.

#ifndef REBASIN_PYTHON_BINDINGS_MODELS_H_
#define REBASIN_PYTHON_BINDINGS_MODELS_H_

#include <nanobind/nanobind.h>

namespace rebasin::python {

void BindModels(nanobind::module_& module);

}  // namespace rebasin::python

#endif  // REBASIN_PYTHON_BINDINGS_MODELS_H_
