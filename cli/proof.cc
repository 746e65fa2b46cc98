#include "cli/proof.h"

#include <algorithm>

#include "base/text.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

double Relative(const OutputDifference& output) {
  return output.largest > 0 ? output.difference / output.largest
                            : output.difference;
}

const OutputDifference& Worst(const VerifyReport& report) {
  return *std::max_element(
      report.outputs.begin(), report.outputs.end(),
      [](const auto& a, const auto& b) { return Relative(a) < Relative(b); });
}

}  // namespace

std::string ProveAlignment(const Structure& structure, const Checkpoint& model,
                           const Alignment& alignment, const Context& context,
                           Console& console) {
  if (!structure.graph || alignment.IsIdentity()) return "";
  VerifyReport report;
  try {
    report = Verify(*structure.graph, model, alignment,
                    {.seed = context.seed, .threads = context.threads});
  } catch (const Error& error) {
    const bool unable = error.code() == ErrorCode::kUnsupported ||
                        error.code() == ErrorCode::kBadInput;
    if (!unable) throw;
    console.Warn(std::string("not verified: ") + error.what());
    return "";
  }
  const OutputDifference& worst = Worst(report);
  if (!report.same) {
    throw Error(ErrorCode::kMismatch,
                "the alignment changes the function: output " +
                    Quoted(worst.name) + " differs by " +
                    Number(worst.difference) + " (largest value " +
                    Number(worst.largest) + "); nothing was written",
                "was it made for another graph?");
  }
  return "verified: the permuted model computes the same function "
         "(difference " +
         Number(Relative(worst), 2) + ")\n";
}

std::string ProofTable(const VerifyReport& report) {
  Table table("llrr", {"output", "shape", "largest value", "difference"});
  for (const OutputDifference& output : report.outputs) {
    table.Add({Printable(output.name), ShapeText(output.shape),
               Number(output.largest), Number(output.difference, 2)});
  }
  return table.Text();
}

Json ProofJson(const VerifyReport& report) {
  Json outputs = Json::array();
  for (const OutputDifference& output : report.outputs) {
    outputs.push_back({{"name", output.name},
                       {"shape", output.shape},
                       {"largest", output.largest},
                       {"difference", output.difference}});
  }
  return {{"same", report.same}, {"outputs", outputs}};
}

}  // namespace rebasin::cli
