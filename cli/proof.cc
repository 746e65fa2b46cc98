#include "cli/proof.h"

#include "base/text.h"
#include "rebasin/error.h"

namespace rebasin::cli {

std::string VerifiedText(const VerifyReport& report) {
  return "verified: the permuted model computes the same function "
         "(difference " +
         Number(report.worst().relative(), 2) + ", " + RunsText(report) + ")\n";
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
  return "on inputs of " + shapes + (report.small ? ", with fewer units" : "") +
         (report.part ? ", up to where shapes depend on data" : "");
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
          {"own_weights", report.own},   {"part_of_graph", report.part},
          {"outputs", outputs},          {"input_shapes", report.input_shapes}};
}

}  // namespace rebasin::cli
