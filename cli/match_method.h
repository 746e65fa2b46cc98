// Aligning as the arguments say.

#ifndef REBASIN_CLI_MATCH_METHOD_H_
#define REBASIN_CLI_MATCH_METHOD_H_

#include <filesystem>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/data_flags.h"
#include "cli/data_match_flags.h"
#include "cli/progress.h"
#include "rebasin/align.h"
#include "rebasin/nn/align.h"

namespace rebasin::cli {

// Throws Error(kUsage) with the names that there are; `more` are other words
// that the option takes.
const AlignMethod& ParseAlignMethod(const std::string& option,
                                    const std::string& name,
                                    const std::vector<std::string>& more = {});

// One line for each method, for the foot of a help text.
std::string MatchMethodsText();

struct MatchJob {
  std::string method = "weights";
  MatchOptions options = {};
  DataMatchFlags with_data = {};
  DataFlags data = {};
  // For methods that take long: where they keep their state, if anywhere, and
  // whether to go on from there.
  std::filesystem::path state_file = {};
  bool resume = false;
};

// Throws Error(kUsage) where there is no such method, or it needs data and
// there is none.
void CheckMatchJob(const std::string& option, const MatchJob& job);

bool NeedsData(const MatchJob& job);

DataAlignResult RunMatchJob(const MatchJob& job, const Model& a, const Model& b,
                            Console& console, ProgressBar& progress);

// Matches a model to the mean of others with data, for merging many: see
// StepWithData.
ManyStep StepFor(const MatchJob& job, const Model& first, Console& console);

// What a method has to say beyond the report.
std::string FindingsText(const DataAlignResult& found, const MatchJob& job);
Json FindingsJson(const DataAlignResult& found);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_MATCH_METHOD_H_
