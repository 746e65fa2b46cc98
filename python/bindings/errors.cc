#include "python/bindings/errors.h"

#include <nanobind/stl/string.h>

#include "rebasin/error.h"

namespace rebasin::python {
namespace {

namespace nb = nanobind;

const char* CodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return "usage";
    case ErrorCode::kBadInput:
      return "bad_input";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kMismatch:
      return "mismatch";
    case ErrorCode::kIo:
      return "io";
    case ErrorCode::kLimit:
      return "limit";
    case ErrorCode::kStopped:
      return "stopped";
  }
  return "";
}

void Translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const nb::object make =
        nb::module_::import_("pyrebasin._errors").attr("make_error");
    const nb::object made =
        make(CodeName(error.code()), error.what(), error.hint());
    PyErr_SetObject(made.type().ptr(), made.ptr());
  }
}

}  // namespace

void BindErrors(nb::module_&) { nb::register_exception_translator(Translate); }

}  // namespace rebasin::python
