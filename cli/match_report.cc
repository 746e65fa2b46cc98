#include "cli/match_report.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

std::string GroupTable(const MatchResult& match) {
  Table table("lrr", {"group", "units", "moved"});
  const Symmetry& symmetry = match.alignment.symmetry();
  for (size_t g = 0; g < symmetry.groups().size(); ++g) {
    const Group& group = symmetry.groups()[g];
    table.Add({Printable(group.name),
               Grouped(group.size * symmetry.Copies(static_cast<int>(g))),
               Grouped(match.report.units_moved[g])});
  }
  return table.empty() ? "" : table.Text();
}

std::string TensorTable(const MatchReport& report) {
  Table table("lrrrr", {"tensor", "cosine", "after", "distance", "after"});
  for (const TensorMatch& t : report.tensors) {
    table.Add({Printable(t.name),
               Fixed(Cosine(t.dot_before, t.norm_a, t.norm_b), 4),
               Fixed(Cosine(t.dot_after, t.norm_a, t.norm_b), 4),
               Number(t.DistanceBefore()), Number(t.DistanceAfter())});
  }
  return table.Text();
}

Json SidesJson(double dot, double norm_a, double norm_b) {
  return {{"objective", dot},
          {"cosine", Cosine(dot, norm_a, norm_b)},
          {"distance", Distance(dot, norm_a, norm_b)}};
}

Json TensorsJson(const MatchReport& report) {
  Json tensors = Json::array();
  for (const TensorMatch& t : report.tensors) {
    tensors.push_back({{"name", t.name},
                       {"before", SidesJson(t.dot_before, t.norm_a, t.norm_b)},
                       {"after", SidesJson(t.dot_after, t.norm_a, t.norm_b)}});
  }
  return tensors;
}

Json GroupsJson(const MatchResult& match) {
  Json groups = Json::array();
  const Symmetry& symmetry = match.alignment.symmetry();
  for (size_t g = 0; g < symmetry.groups().size(); ++g) {
    groups.push_back({{"name", symmetry.groups()[g].name},
                      {"units", symmetry.groups()[g].size *
                                    symmetry.Copies(static_cast<int>(g))},
                      {"moved", match.report.units_moved[g]}});
  }
  return groups;
}

int64_t TotalMoved(const MatchReport& report) {
  int64_t total = 0;
  for (int64_t moved : report.units_moved) total += moved;
  return total;
}

std::string Passes(int passes) {
  return std::to_string(passes) + (passes == 1 ? " pass" : " passes");
}

// The range of the units' scales, and the number of different signs.
struct Factors {
  double least = 1, most = 1;
  int64_t flipped = 0;
};

Factors FactorsOf(const Alignment& alignment) {
  Factors result;
  const auto& scalings = alignment.symmetry().scalings();
  for (size_t s = 0; s < scalings.size(); ++s) {
    for (double factor : alignment.all_factors(static_cast<int>(s))) {
      if (scalings[s].kind == ScalingKind::kSign) {
        result.flipped += factor < 0;
      } else {
        result.least = std::min(result.least, factor);
        result.most = std::max(result.most, factor);
      }
    }
  }
  return result;
}

std::string FactorsText(const Alignment& alignment) {
  if (alignment.symmetry().scalings().empty()) return "";
  const Factors factors = FactorsOf(alignment);
  return "rescaled by " + Number(factors.least) + " to " +
         Number(factors.most) + ", " + Count(factors.flipped, "sign") +
         " flipped; the numbers above are for the rescaled models\n";
}

}  // namespace

double Cosine(double dot, double norm_a, double norm_b) {
  return norm_a > 0 && norm_b > 0 ? dot / (norm_a * norm_b) : 0;
}

double Distance(double dot, double norm_a, double norm_b) {
  return std::sqrt(std::max(0.0, norm_a * norm_a + norm_b * norm_b - 2 * dot));
}

std::string RawText(const MatchReport& r) {
  return "cosine " + Fixed(Cosine(r.objective_before, r.norm_a, r.norm_b), 4) +
         ", distance " +
         Number(Distance(r.objective_before, r.norm_a, r.norm_b)) + "\n";
}

std::string ReportText(const MatchResult& match, bool verbose) {
  const MatchReport& r = match.report;
  std::string text;
  if (verbose) text += TensorTable(r) + "\n" + GroupTable(match) + "\n";
  if (r.already_aligned) text += "these models are already aligned\n";
  Table table("lrr", {"", "before", "after"});
  table.Add({"objective", Number(r.objective_before, 6),
             Number(r.objective_after, 6)});
  table.Add({"cosine", Fixed(Cosine(r.objective_before, r.norm_a, r.norm_b), 4),
             Fixed(Cosine(r.objective_after, r.norm_a, r.norm_b), 4)});
  table.Add({"distance",
             Number(Distance(r.objective_before, r.norm_a, r.norm_b)),
             Number(Distance(r.objective_after, r.norm_a, r.norm_b))});
  text += table.Text() + Count(TotalMoved(r), "unit") + " moved";
  // Methods that do not match by weights report none.
  if (r.passes > 0) text += ", " + Passes(r.passes);
  if (r.seconds > 0) text += ", " + HumanSeconds(r.seconds);
  return text + "\n" + FactorsText(match.alignment);
}

Json ReportJson(const MatchResult& match) {
  const MatchReport& r = match.report;
  Json json = {{"before", SidesJson(r.objective_before, r.norm_a, r.norm_b)},
               {"after", SidesJson(r.objective_after, r.norm_a, r.norm_b)},
               {"norm_a", r.norm_a},
               {"norm_b", r.norm_b},
               {"already_aligned", r.already_aligned},
               {"converged", r.converged},
               {"start", r.start},
               {"passes", r.passes},
               {"gemm_seconds", r.gemm_seconds},
               {"gemm_flops", r.gemm_flops},
               {"objective_by_pass", r.objective_by_pass},
               {"seconds", r.seconds},
               {"units_moved", TotalMoved(r)},
               {"groups", GroupsJson(match)},
               {"tensors", TensorsJson(r)}};
  if (!match.alignment.symmetry().scalings().empty()) {
    const Factors factors = FactorsOf(match.alignment);
    json["least_scale"] = factors.least;
    json["largest_scale"] = factors.most;
    json["signs_flipped"] = factors.flipped;
  }
  return json;
}

void WarnUnlessConverged(const MatchReport& report, Console& console) {
  if (report.converged) return;
  console.Warn("matching did not converge within " + Passes(report.passes) +
               "; see --max-passes");
}

}  // namespace rebasin::cli
