#include "cli/judgement.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"

namespace rebasin::cli {
namespace {

// With more parents, only the best and the worst are listed.
constexpr size_t kMaxShown = 8;

std::vector<JudgedModel> JudgedParents(const std::vector<Evaluation>& parents,
                                       const std::vector<std::string>& names) {
  std::vector<JudgedModel> rows;
  if (parents.size() <= kMaxShown) {
    for (size_t m = 0; m < parents.size(); ++m) {
      rows.push_back({ModelName(m, names), parents[m]});
    }
    return rows;
  }
  const auto [best, worst] = std::minmax_element(
      parents.begin(), parents.end(),
      [](const Evaluation& x, const Evaluation& y) { return x.loss < y.loss; });
  return {{"best model", *best}, {"worst model", *worst}};
}

// The upper triangle of a table of all pairs.
std::string PairsText(const std::vector<PairBarrier>& pairs, size_t models) {
  if (pairs.empty()) return "";
  std::vector<std::string> header = {"model"};
  for (size_t m = 2; m <= models; ++m) header.push_back(std::to_string(m));
  Table table(std::string(models, 'r'), header);
  auto pair = pairs.begin();
  for (size_t x = 0; x + 1 < models; ++x) {
    std::vector<std::string> row = {std::to_string(x + 1)};
    for (size_t y = 1; y < models; ++y) {
      row.push_back(y <= x ? "" : Number((pair++)->barrier));
    }
    table.Add(std::move(row));
  }
  return "barrier at the midpoint of each pair:\n" + table.Text();
}

std::string ShareText(const Share& share) {
  return Percent(share.value) + " of " + Grouped(share.examples);
}

// What the merge has of each parent, and what it would have by chance.
std::string KeptText(const KeptKnowledge& kept) {
  Table table("lrrr",
              {"examples that only this model gets right", "merged gets right",
               "standard error", "same prediction"});
  for (size_t m = 0; m < kept.parents.size() && m < kMaxShown; ++m) {
    const auto& [only, agreement] = kept.parents[m];
    table.Add({"model " + std::to_string(m + 1), ShareText(only),
               Percent(only.error), Percent(agreement)});
  }
  table.Add({"their ensemble", "", "", Percent(kept.ensemble_agreement)});
  std::string text = table.Text();
  if (kept.uninvolved) {
    text += "an uninvolved network gets about " + Percent(*kept.uninvolved) +
            " of such examples right (" + UninvolvedSource(kept) + ")\n";
  }
  return text + "verdict: " + VerdictText(kept) + "\n";
}

Json KeptJson(const KeptKnowledge& kept) {
  Json parents = Json::array();
  for (const auto& [only, agreement] : kept.parents) {
    parents.push_back({{"only_this_right", only.examples},
                       {"kept", only.value},
                       {"standard_error", only.error},
                       {"agreement", agreement}});
  }
  Json json = {{"parents", std::move(parents)},
               {"ensemble_agreement", kept.ensemble_agreement},
               {"verdict", VerdictText(kept)}};
  if (kept.uninvolved) json["uninvolved"] = *kept.uninvolved;
  return json;
}

}  // namespace

std::string ModelName(size_t model, const std::vector<std::string>& names) {
  const std::string number = "model " + std::to_string(model + 1);
  return model < names.size() ? number + ", " + names[model] : number;
}

std::string UninvolvedSource(const KeptKnowledge& kept) {
  return kept.parents.size() > 2 ? "measured by leaving one model out"
                                 : "from how often the models agree";
}

std::string AccuracyText(const Judgement& judgement) {
  if (!judgement.worse_than_best_parent()) {
    return "the merge is at least as accurate as its best parent";
  }
  const double points =
      100 * (judgement.best_parent_accuracy() - judgement.merged.accuracy);
  return "the merge is less accurate than its best parent, by " +
         Fixed(points, 2) + " points";
}

std::vector<JudgedModel> JudgedModels(const Judgement& judgement,
                                      const std::vector<std::string>& names) {
  std::vector<JudgedModel> rows = JudgedParents(judgement.parents, names);
  rows.push_back({"ensemble", judgement.ensemble});
  const auto add = [&](const char* name,
                       const std::optional<Evaluation>& found) {
    if (found) rows.push_back({name, *found});
  };
  add("plain average", judgement.plain_average);
  add("plain average, repaired", judgement.repaired_average);
  add("aligned average", judgement.aligned_average);
  rows.push_back({"merged", judgement.merged});
  return rows;
}

std::string JudgementText(const Judgement& judgement,
                          const std::string& judged_on) {
  Table table("lrrr", {"", "loss", "accuracy", "calibration error"});
  for (const auto& [name, found] : JudgedModels(judgement)) {
    table.Add({name, Number(found.loss), Percent(found.accuracy),
               Percent(found.calibration_error)});
  }
  return "on " + judged_on + ":\n" + table.Text() +
         PairsText(judgement.pairs, judgement.parents.size()) +
         KeptText(judgement.kept) + AccuracyText(judgement) + "\n";
}

Json JudgementJson(const Judgement& judgement) {
  Json models = Json::array(), pairs = Json::array();
  for (const auto& [name, found] : JudgedModels(judgement)) {
    models.push_back({{"name", name},
                      {"loss", found.loss},
                      {"accuracy", found.accuracy},
                      {"calibration_error", found.calibration_error}});
  }
  for (const PairBarrier& pair : judgement.pairs) {
    pairs.push_back({{"models", {pair.a + 1, pair.b + 1}},
                     {"loss", pair.loss},
                     {"barrier", pair.barrier}});
  }
  Json json = {{"models", std::move(models)}};
  if (!pairs.empty()) json["pairs"] = std::move(pairs);
  json["worse_than_best_parent"] = judgement.worse_than_best_parent();
  json["kept"] = KeptJson(judgement.kept);
  return json;
}

}  // namespace rebasin::cli
