// The ways to find an alignment, by name.

#ifndef REBASIN_CLI_MATCH_METHOD_H_
#define REBASIN_CLI_MATCH_METHOD_H_

#include <filesystem>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/context.h"
#include "cli/data_flags.h"
#include "cli/data_match_flags.h"
#include "cli/progress.h"
#include "cli/structure.h"
#include "rebasin/match.h"

namespace rebasin::cli {

struct MatchMethod {
  std::string name;
  std::string what;  // for the help
  bool needs_data = false;
  bool needs_labels = false;
};

// The ones to use first, then those to compare with.
const std::vector<MatchMethod>& MatchMethods();

bool IsMatchMethod(const std::string& name);
// Throws Error(kUsage) with the names that there are; `more` are other words
// that the option takes.
const MatchMethod& FindMatchMethod(const std::string& option,
                                   const std::string& name,
                                   const std::vector<std::string>& more = {});

// One line each, for the foot of a help text.
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

struct FoundMatch {
  MatchResult match;
  bool interrupted = false;  // the state is kept; there may be better to come
  std::string text = {};     // what the method has to say beyond the report
  Json json = Json::object();
};

// Throws Error(kUsage) where the method needs data or a graph and there is
// none.
void CheckMatchJob(const std::string& option, const MatchJob& job);

FoundMatch RunMatchJob(const MatchJob& job, const Checkpoint& a,
                       const Checkpoint& b, const Structure& structure,
                       Console& console, Progress& progress);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_MATCH_METHOD_H_
