// Alignments for Python: found, applied, inverted, read and written.

#ifndef REBASIN_PYTHON_BINDINGS_ALIGN_H_
#define REBASIN_PYTHON_BINDINGS_ALIGN_H_

#include <nanobind/nanobind.h>

#include <map>
#include <optional>
#include <string>

#include "rebasin/alignment.h"
#include "rebasin/match.h"
#include "rebasin/model.h"

namespace rebasin::python {

// An alignment with what its file states about the models that it fits.
struct FittedAlignment {
  Alignment alignment;
  std::string fingerprint = {};  // empty: it fits any model with its tensors
  // From the symmetry's tensor names to those of the model's own file.
  std::map<std::string, std::string> own_names = {};
  std::optional<MatchReport> report = {};

  // The alignment with the tensor names of the model's own file.
  Alignment InOwnNames() const;
  // The text of an alignment file.
  std::string ToJson() const;
};

// An alignment of this model, without a report.
FittedAlignment FitTo(const Model& model, Alignment alignment);

void BindAlign(nanobind::module_& module);

}  // namespace rebasin::python

#endif  // REBASIN_PYTHON_BINDINGS_ALIGN_H_
