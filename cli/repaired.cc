#include "cli/repaired.h"

#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/arguments.h"

namespace rebasin::cli {
namespace {

std::string TriedText(const RepairResult& repaired) {
  Table table("lrrr", {"repair", "loss", "calibrated", "accuracy"});
  for (const auto& [method, found] : repaired.tried) {
    table.Add({method, Number(found.loss), Number(found.calibrated_loss),
               Percent(found.accuracy)});
  }
  return "compared on " +
         Count(repaired.held_out_examples, "held-out example") + ":\n" +
         table.Text() + "kept: " + repaired.kept + "\n";
}

}  // namespace

std::string RepairText(const RepairResult& repaired) {
  if (!repaired.tried.empty()) return TriedText(repaired);
  return "repaired (" + repaired.kept + ") " +
         (RepairNeedsData(repaired.kept)
              ? "with " + Count(repaired.examples, "example")
              : std::string("without data")) +
         "\n";
}

Json RepairJson(const RepairResult& repaired) {
  Json json = Json::object();
  for (const auto& [method, found] : repaired.tried) {
    json["tried"].push_back({{"repair", method},
                             {"loss", found.loss},
                             {"calibrated_loss", found.calibrated_loss},
                             {"accuracy", found.accuracy}});
  }
  json["kept"] = repaired.kept;
  return json;
}

bool RepairNeedsData(const std::string& method) {
  std::vector<std::pair<std::string, bool>> choices = {{"auto", true},
                                                       {"none", false}};
  for (const RepairMethod& row : RepairMethods()) {
    choices.emplace_back(row.name, row.needs_data);
  }
  return ParseChoice<bool>("--repair", method, choices);
}

}  // namespace rebasin::cli
