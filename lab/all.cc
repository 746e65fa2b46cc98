#include "lab/all.h"

#include <optional>
#include <utility>

#include "io/file.h"
#include "rebasin/error.h"
#include "rebasin/version.h"
#include "report/files.h"

namespace rebasin::lab {
namespace fs = std::filesystem;
namespace {

constexpr int64_t kLargestReport = int64_t{64} << 20;

std::optional<Support> ParseSupport(const std::string& text) {
  for (const Support support : {Support::kSupported, Support::kMixed,
                                Support::kNotSupported, Support::kNotTested}) {
    if (text == SupportText(support)) return support;
  }
  return std::nullopt;
}

std::string VersionText() { return "rebasin " REBASIN_VERSION; }

// Nothing if the report is another command's, or of another version.
std::optional<std::vector<Claim>> ReadClaims(const fs::path& report,
                                             const std::string& command) {
  const Json json = Json::parse(ReadSmallFile(report, kLargestReport), nullptr,
                                /*allow_exceptions=*/false);
  try {
    const Json& facts = json.at("facts");
    if (facts.at("command").get<std::string>() != command ||
        facts.at("version").get<std::string>() != VersionText()) {
      return std::nullopt;
    }
    std::vector<Claim> claims;
    for (const Json& claim : json.at("claims")) {
      const auto support = ParseSupport(claim.at("verdict"));
      if (!support) return std::nullopt;
      claims.push_back({claim.at("claim"), *support, claim.at("finding")});
    }
    return claims;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::optional<std::vector<Claim>> FinishedClaims(const fs::path& folder,
                                                 const std::string& command) {
  const fs::path report = folder / "report.json";
  if (!IsRegularFile(report)) return std::nullopt;
  return ReadClaims(report, command);
}

Outcome RunOne(const Experiment& experiment, LabOptions options,
               const std::string& command, bool again) {
  options.folder /= experiment.name;
  Outcome outcome{.experiment = &experiment};
  const auto known =
      again ? std::nullopt : FinishedClaims(options.folder, command);
  if (known) {
    outcome.claims = *known;
    return outcome;
  }
  Lab lab(options);
  try {
    const Document document = RunExperiment(experiment, lab, command);
    WriteReport(document, options.folder, /*force=*/true);
    lab.CleanUp();
    outcome.claims = document.claims;
  } catch (const Error& error) {
    // Data that is not there.
    if (error.code() != ErrorCode::kUsage) throw;
    outcome.problem = error.what();
  }
  return outcome;
}

Cell LinkTo(const Experiment& experiment) {
  Cell cell(experiment.name);
  cell.link = std::string(experiment.name) + "/report.html";
  return cell;
}

int CountOf(const std::vector<Outcome>& outcomes, Support support) {
  int count = 0;
  for (const Outcome& outcome : outcomes) {
    for (const Claim& claim : outcome.claims) {
      count += claim.support == support ? 1 : 0;
    }
  }
  return count;
}

DataTable Counts(const std::vector<Outcome>& outcomes) {
  DataTable table{
      .name = "verdicts", .caption = "", .columns = {"verdict", "claims"}};
  for (const Support support : {Support::kSupported, Support::kMixed,
                                Support::kNotSupported, Support::kNotTested}) {
    const int count = CountOf(outcomes, support);
    table.rows.push_back({SupportText(support),
                          {std::to_string(count), static_cast<double>(count)}});
  }
  return table;
}

}  // namespace

std::vector<Outcome> RunAll(
    std::span<const Experiment> experiments, const LabOptions& options,
    const std::function<std::string(const Experiment&)>& command, bool again) {
  std::vector<Outcome> outcomes;
  for (const Experiment& experiment : experiments) {
    outcomes.push_back(RunOne(experiment, options, command(experiment), again));
  }
  return outcomes;
}

Document IndexOf(const std::vector<Outcome>& outcomes,
                 const std::string& command) {
  Document document{
      .title = "The paper's experiments",
      .question =
          "Which claims of the paper hold in the networks trained here?",
      .facts = {{"command", command}, {"version", VersionText()}}};
  DataTable claims{
      .name = "claims",
      .caption = "Each experiment has a page of its own.",
      .columns = {"experiment", "paper", "claim", "verdict", "found"}};
  for (const Outcome& outcome : outcomes) {
    const Experiment& experiment = *outcome.experiment;
    for (const Claim& claim : outcome.claims) {
      claims.rows.push_back({LinkTo(experiment), experiment.paper, claim.claim,
                             SupportText(claim.support), claim.finding});
    }
    if (!outcome.problem.empty()) {
      claims.rows.push_back(
          {experiment.name, experiment.paper, "", "not run", outcome.problem});
    }
  }
  document.blocks = {Counts(outcomes), claims};
  return document;
}

}  // namespace rebasin::lab
