#include "base/text.h"
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
                "--spec; make a new one with `rebasin match`"};
  }
  return {.name = "the spec " + Quoted(structure.spec),
          .hint =
              "without --spec the symmetries are found in the graph; `rebasin "
              "verify MODEL --spec FILE` tests a corrected spec"};
}

void RequireProof(const VerifyReport& report, const Structure& structure) {
  if (report.proved()) return;
  const Culprit culprit = CulpritOf(structure);
  if (report.same) {
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
    run.Warn(std::string("not verified: ") + error.what());
    return std::nullopt;
  }
}

}  // namespace rebasin
