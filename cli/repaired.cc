#include "cli/repaired.h"

#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/arguments.h"

namespace rebasin::cli {
namespace {

std::string TriedText(const RepairResult& repaired) {
  Table table("lrrrl", {"repair", "loss", "calibrated", "accuracy", ""});
  for (const auto& [method, found, kept] : repaired.tried) {
    const bool copies = kept.verdict == MergeVerdict::kMostlyOne;
    table.Add({method, Number(found.loss), Number(found.calibrated_loss),
               Percent(found.accuracy), copies ? VerdictText(kept) : ""});
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
  for (const auto& [method, found, kept] : repaired.tried) {
    json["tried"].push_back(
        {{"repair", method},
         {"loss", found.loss},
         {"calibrated_loss", found.calibrated_loss},
         {"accuracy", found.accuracy},
         {"mostly_one_parent", kept.verdict == MergeVerdict::kMostlyOne}});
  }
  json["kept"] = repaired.kept;
  return json;
}

std::string RepairNames() {
  std::string text;
  for (const RepairMethod& row : RepairMethods()) {
    text += (text.empty() ? "" : ", ") + std::string(row.name);
  }
  return text;
}

std::string RepairsWithHelp() {
  std::string text;
  for (const RepairMethod& row : RepairMethods()) {
    text += (text.empty() ? "" : ", ") + std::string(row.name) + " (" +
            row.help + ")";
  }
  return text;
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
