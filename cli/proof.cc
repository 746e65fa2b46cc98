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

// 'group "x" and 2 more groups'.
std::string FirstGroup(const std::vector<std::string>& groups) {
  const auto more = static_cast<int64_t>(groups.size()) - 1;
  return "group " + Quoted(groups[0]) +
         (more == 0 ? "" : " and " + Count(more, "more group"));
}

// What is wrong where a proof fails, and what to do about it.
struct Culprit {
  std::string name;
  std::string hint;
};

Culprit CulpritOf(const Structure& structure) {
  if (structure.spec.empty()) {
    return {.name = "the alignment",
            .hint =
                "an alignment that was made for another graph, or with a "
                "wrong --spec, must be made anew by `rebasin match`"};
  }
  return {.name = "the spec " + Quoted(structure.spec),
          .hint =
              "leave --spec out, and the symmetries are found in the graph; "
              "`rebasin verify MODEL --spec FILE` tests a corrected one"};
}

}  // namespace

// Graphs do not know where they come from.
VerifyReport RunProof(const Structure& structure, const Checkpoint& model,
                      const std::vector<Alignment>& elements,
                      const Context& context) {
  try {
    return Verify(*structure.graph, model, elements,
                  {.seed = context.seed, .threads = context.threads});
  } catch (const Error& error) {
    throw Error(error.code(), Quoted(structure.name) + ": " + error.what(),
                error.hint());
  }
}

std::string ProveAlignment(const Structure& structure, const Checkpoint& model,
                           const Alignment& alignment, const Context& context,
                           Console& console) {
  if (!structure.graph || alignment.IsIdentity()) return "";
  VerifyReport report;
  try {
    report = RunProof(structure, model, {alignment}, context);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnsupported) throw;
    console.Warn(std::string("not verified: ") + error.what());
    return "";
  }
  const OutputDifference& worst = Worst(report);
  const Culprit culprit = CulpritOf(structure);
  if (!report.same) {
    throw Error(ErrorCode::kMismatch,
                culprit.name + " changes the function of " +
                    Quoted(structure.name) + ": output " + Quoted(worst.name) +
                    " differs by " + Number(worst.difference) +
                    " (largest value " + Number(worst.largest) +
                    "); nothing was written",
                culprit.hint);
  }
  if (!report.proved()) {
    throw Error(ErrorCode::kMismatch,
                "cannot prove " + culprit.name + ": " + VerdictText(report) +
                    "; nothing was written",
                "--no-verify writes it all the same");
  }
  return "verified: the permuted model computes the same function "
         "(difference " +
         Number(Relative(worst), 2) + ", " + RunsText(report) + ")\n";
}

std::string RunsText(const VerifyReport& report) {
  std::string shapes;
  for (const auto& run : report.input_shapes) {
    if (!shapes.empty()) shapes += " and ";
    std::string list;
    for (const Shape& shape : run) {
      list += (list.empty() ? "" : ", ") + ShapeText(shape);
    }
    shapes += list;
  }
  return "on inputs of " + shapes + (report.small ? ", with fewer units" : "");
}

std::string VerdictText(const VerifyReport& report) {
  if (!report.same) return "NOT the same function";
  if (report.proved()) return "the same function";
  if (report.unproved.empty()) {
    return "NOT PROVED: where scores are equal, the order of " +
           FirstGroup(report.tie_breakers) + " decides which is chosen";
  }
  return "NOT PROVED: no run shows an effect of " + FirstGroup(report.unproved);
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
  return {{"same", report.same},         {"proved", report.proved()},
          {"unproved", report.unproved}, {"tie_breakers", report.tie_breakers},
          {"runs", report.runs},         {"fewer_units", report.small},
          {"own_weights", report.own},   {"input_shapes", report.input_shapes},
          {"outputs", outputs}};
}

}  // namespace rebasin::cli
