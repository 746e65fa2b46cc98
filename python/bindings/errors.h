// Turns rebasin::Error into the exceptions of the Python package.

#ifndef REBASIN_PYTHON_BINDINGS_ERRORS_H_
#define REBASIN_PYTHON_BINDINGS_ERRORS_H_

#include <nanobind/nanobind.h>

namespace rebasin::python {

// Makes functions of `module` raise the classes of pyrebasin._errors.
void BindErrors(nanobind::module_& module);

}  // namespace rebasin::python

#endif  // REBASIN_PYTHON_BINDINGS_ERRORS_H_
