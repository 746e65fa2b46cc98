// Aligns models by the method of the command line.

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

// Throws Error(kUsage) that lists the methods for unknown names; `more` are
// other words that the option accepts.
const AlignMethod& ParseAlignMethod(const std::string& option,
                                    const std::string& name,
                                    const std::vector<std::string>& more = {});

// One line for each method, for help texts.
std::string MatchMethodsText();

struct MatchJob {
  std::string method = "weights";
  MatchOptions options = {};
  DataMatchFlags with_data = {};
  DataFlags data = {};
  // For long-running methods: where the state is stored (empty: not stored),
  // and whether to resume from it.
  std::filesystem::path state_file = {};
  bool resume = false;
};

// Throws Error(kUsage) if the method does not exist, or needs data and there is
// none.
void CheckMatchJob(const std::string& option, const MatchJob& job);

bool NeedsData(const MatchJob& job);

DataAlignResult RunMatchJob(const MatchJob& job, const Model& a, const Model& b,
                            Console& console, ProgressBar& progress);

// Returns a step that matches a model to the mean of others with data; see
// ActivationStep.
ManyStep StepFor(const MatchJob& job, const Model& first, Console& console);

// Messages of a method in addition to the report.
std::string FindingsText(const DataAlignResult& found, const MatchJob& job);
Json FindingsJson(const DataAlignResult& found);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_MATCH_METHOD_H_
