#include "base/text.h"
#include "rebasin/discovery.h"
#include "rebasin/error.h"
#include "rebasin/model.h"

namespace rebasin {
namespace {

// Why a proof failed, and what to do.
struct Culprit {
  std::string name;
  std::string hint;
};

Culprit CulpritOf(const Structure& structure) {
  if (structure.spec.empty()) {
    return {.name = "the alignment",
            .hint =
                "the alignment was made for another graph or with a wrong "
                "--spec; if `rebasin match` makes the same one of this graph, "
                "please report it"};
  }
  return {.name = "the spec " + Quoted(structure.spec),
          .hint =
              "without --spec the symmetries are found in the graph; `rebasin "
              "verify MODEL --spec FILE` tests a corrected spec"};
}

void RequireProof(const VerifyReport& report, const Structure& structure) {
  if (report.proved()) return;
  const Culprit culprit = CulpritOf(structure);
  if (report.same || !report.cannot_run.empty()) {
    throw Error(ErrorCode::kMismatch,
                "cannot prove " + culprit.name + ": " + VerdictText(report) +
                    "; nothing was written",
                "--no-verify skips this check");
  }
  const OutputDifference& worst = report.worst();
  throw Error(ErrorCode::kMismatch,
              culprit.name + " changes the function of " +
                  Quoted(structure.name) + ": output " + Quoted(worst.name) +
                  " differs by " + Number(worst.difference) +
                  " (largest value " + Number(worst.largest) +
                  "); nothing was written",
              culprit.hint);
}

// In the order of a file, whatever it was before.
std::string TextOf(const Symmetry& symmetry) {
  return Symmetry::FromJson(symmetry.ToJson(), "").ToJson();
}

// Whether the graph has these symmetries by its rules. A file or a user may
// claim others.
bool IsFound(const Symmetry& symmetry, const Model& model) {
  return TextOf(Discover(*model.graph()).symmetry) == TextOf(symmetry);
}

// What cannot be run is believed only if the graph says so itself.
void RequireFound(const Alignment& alignment, const Model& model,
                  const Error& reason) {
  if (IsFound(alignment.symmetry(), model)) return;
  throw Error(ErrorCode::kMismatch,
              "cannot prove " + CulpritOf(model.structure).name + ": " +
                  reason.what() +
                  ", and its symmetries are not those found in the graph; "
                  "nothing was written",
              "--no-verify skips this check");
}

}  // namespace

VerifyReport VerifyModel(const Model& model,
                         std::span<const Alignment> elements, const Run& run) {
  try {
    return Verify(*model.graph(), model.weights, elements, {}, run);
  } catch (const Error& error) {
    throw Error(error.code(),
                Quoted(model.structure.name) + ": " + error.what(),
                error.hint());
  }
}

std::optional<VerifyReport> Prove(const Model& model,
                                  const Alignment& alignment, const Run& run) {
  if (!model.graph() || alignment.IsIdentity()) return std::nullopt;
  try {
    const VerifyReport report = VerifyModel(model, {&alignment, 1}, run);
    RequireProof(report, model.structure);
    return report;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnsupported) throw;
    RequireFound(alignment, model, error);
    run.Warn(std::string("not verified: ") + error.what());
    return std::nullopt;
  }
}

}  // namespace rebasin
