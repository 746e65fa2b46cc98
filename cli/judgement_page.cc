#include "cli/judgement_page.h"

#include <cctype>

#include "base/text.h"
#include "cli/judgement.h"
#include "lab/blocks.h"

namespace rebasin::cli {
namespace {

using lab::NumberCell;
using lab::PercentCell;

Support ToneOf(MergeVerdict verdict) {
  switch (verdict) {
    case MergeVerdict::kKeepsAll:
      return Support::kSupported;
    case MergeVerdict::kLikeUninvolved:
      return Support::kMixed;
    case MergeVerdict::kMostlyOne:
    case MergeVerdict::kWorseThanEither:
      return Support::kNotSupported;
    case MergeVerdict::kTooFewExamples:
      break;
  }
  return Support::kNotTested;
}

std::string Sentence(std::string text) {
  text[0] = static_cast<char>(std::toupper(text[0]));
  return text + ".";
}

Callout VerdictCallout(const Judgement& judgement) {
  return {ToneOf(judgement.kept.verdict), Sentence(VerdictText(judgement.kept)),
          Sentence(AccuracyText(judgement))};
}

Cell BarCell(double share, bool emphasis = false) {
  Cell cell = PercentCell(share);
  cell.bar = Bar{.end = share, .emphasis = emphasis};
  return cell;
}

DataTable HeadlineTable(const Judgement& judgement,
                        const std::string& judged_on,
                        const std::vector<std::string>& names) {
  DataTable table{
      .name = "headline",
      .caption = "On " + judged_on,
      .columns = {"model", "accuracy", "loss", "calibration error"}};
  const std::vector<JudgedModel> rows = JudgedModels(judgement, names);
  for (size_t r = 0; r < rows.size(); ++r) {
    const Evaluation& found = rows[r].evaluation;
    table.rows.push_back(
        {rows[r].name, BarCell(found.accuracy, r + 1 == rows.size()),
         NumberCell(found.loss), PercentCell(found.calibration_error)});
  }
  return table;
}

Cell KeptCell(const Share& share, std::optional<double> uninvolved) {
  Cell cell(Percent(share.value) + " ± " + Fixed(100 * share.error, 1),
            share.value);
  cell.bar = Bar{.end = share.value,
                 .error = share.error,
                 .mark = uninvolved,
                 .emphasis = true};
  return cell;
}

std::string KeptCaption(const KeptKnowledge& kept) {
  std::string text =
      "What the merged model gets right of the examples that only one model "
      "gets right, with one standard error, and how often it predicts the "
      "same class.";
  if (!kept.uninvolved) return text;
  return text + " The upright line is at " + Percent(*kept.uninvolved) +
         ": what a network gets right that had no part in the merge (" +
         UninvolvedSource(kept) + ").";
}

DataTable KeptTable(const KeptKnowledge& kept,
                    const std::vector<std::string>& names) {
  DataTable table{
      .name = "kept",
      .caption = KeptCaption(kept),
      .columns = {"model", "examples", "merged gets right", "same prediction"}};
  for (size_t m = 0; m < kept.parents.size(); ++m) {
    const auto& [only, agreement] = kept.parents[m];
    table.rows.push_back({ModelName(m, names),
                          NumberCell(static_cast<double>(only.examples), 9),
                          KeptCell(only, kept.uninvolved), BarCell(agreement)});
  }
  table.rows.push_back(
      {"their ensemble", "", "", BarCell(kept.ensemble_agreement)});
  return table;
}

}  // namespace

std::vector<Block> JudgementBlocks(const Judgement& judgement,
                                   const std::string& judged_on,
                                   const std::vector<std::string>& names) {
  return {VerdictCallout(judgement), SectionTitle{"The merge and its parents"},
          HeadlineTable(judgement, judged_on, names),
          SectionTitle{"What was kept of each parent"},
          KeptTable(judgement.kept, names)};
}

std::vector<Block> RepairBlocks(const RepairResult& repaired) {
  if (repaired.tried.empty()) return {};
  DataTable table{
      .name = "repairs",
      .caption = "Compared on " +
                 Count(repaired.held_out_examples, "held-out example") +
                 ", by their loss at each one's best temperature. Kept: " +
                 repaired.kept + ".",
      .columns = {"repair", "accuracy", "loss", "at best temperature", ""}};
  for (const auto& [method, found, kept] : repaired.tried) {
    const bool copies = kept.verdict == MergeVerdict::kMostlyOne;
    table.rows.push_back(
        {method, BarCell(found.accuracy, method == repaired.kept),
         NumberCell(found.loss), NumberCell(found.calibrated_loss),
         copies ? VerdictText(kept) : ""});
  }
  return {SectionTitle{"Repairs that were tried"}, table};
}

}  // namespace rebasin::cli
