#include "python/bindings/reports.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "rebasin/align.h"
#include "rebasin/discovery.h"
#include "rebasin/match.h"

namespace rebasin::python {
namespace {

namespace nb = nanobind;

void BindMatchReport(nb::module_& module) {
  nb::class_<TensorMatch>(module, "TensorMatch", "How well one tensor matches.")
      .def_ro("name", &TensorMatch::name)
      .def_ro("norm_a", &TensorMatch::norm_a)
      .def_ro("norm_b", &TensorMatch::norm_b)
      .def_ro("dot_before", &TensorMatch::dot_before)
      .def_ro("dot_after", &TensorMatch::dot_after)
      .def_prop_ro("distance_before", &TensorMatch::DistanceBefore)
      .def_prop_ro("distance_after", &TensorMatch::DistanceAfter);
  nb::class_<MatchReport>(module, "MatchReport",
                          "The quality of an alignment, and how it was found.")
      .def_ro("objective_before", &MatchReport::objective_before)
      .def_ro("objective_after", &MatchReport::objective_after)
      .def_ro("norm_a", &MatchReport::norm_a)
      .def_ro("norm_b", &MatchReport::norm_b)
      .def_ro("objective_by_pass", &MatchReport::objective_by_pass)
      .def_ro("tensors", &MatchReport::tensors)
      .def_ro("units_moved", &MatchReport::units_moved)
      .def_ro("start", &MatchReport::start)
      .def_ro("passes", &MatchReport::passes)
      .def_ro("converged", &MatchReport::converged)
      .def_ro("already_aligned", &MatchReport::already_aligned)
      .def_ro("seconds", &MatchReport::seconds);
}

void BindProof(nb::module_& module) {
  nb::class_<OutputDifference>(module, "OutputDifference",
                               "How far one output changes.")
      .def_ro("name", &OutputDifference::name)
      .def_ro("shape", &OutputDifference::shape)
      .def_ro("largest", &OutputDifference::largest)
      .def_ro("difference", &OutputDifference::difference)
      .def_prop_ro("relative", &OutputDifference::relative);
  nb::class_<VerifyReport>(module, "Proof",
                           "A model run against its permuted self.")
      .def_ro("outputs", &VerifyReport::outputs)
      .def_ro("same", &VerifyReport::same)
      .def_ro("unproved", &VerifyReport::unproved)
      .def_ro("tie_breakers", &VerifyReport::tie_breakers)
      .def_ro("input_shapes", &VerifyReport::input_shapes)
      .def_ro("runs", &VerifyReport::runs)
      .def_ro("small", &VerifyReport::small)
      .def_ro("own", &VerifyReport::own)
      .def_ro("part", &VerifyReport::part)
      .def_prop_ro("proved", &VerifyReport::proved)
      .def_prop_ro("verdict", &VerdictText);
}

void BindManyResult(nb::module_& module) {
  nb::class_<ManyResult>(module, "ManyReport", "How many models were matched.")
      .def_ro("rounds", &ManyResult::rounds)
      .def_ro("converged", &ManyResult::converged)
      .def_ro("spread_by_round", &ManyResult::spread_by_round)
      .def_ro("distances_before", &ManyResult::distances_before)
      .def_ro("distances_after", &ManyResult::distances_after);
}

}  // namespace

void BindReports(nb::module_& module) {
  BindMatchReport(module);
  BindProof(module);
  BindManyResult(module);
}

}  // namespace rebasin::python
