// Options of weight matching, shared by the commands that match.

#ifndef REBASIN_CLI_MATCH_FLAGS_H_
#define REBASIN_CLI_MATCH_FLAGS_H_

#include <CLI/App.hpp>
#include <string>

#include "cli/structure.h"
#include "rebasin/match.h"

namespace rebasin::cli {

struct MatchFlags {
  StructureFlags structure;
  std::string dtype;  // empty: that of the models
  std::string start = "anchored";
  std::string order = "evidence";
  std::string restarts = "0";
  std::string max_passes = "100";
  std::string memory;  // empty: no bound
  bool greedy = false;
  bool balance = false;

  void AddTo(CLI::App& command);
  // Throws Error(kUsage).
  MatchOptions Options() const;
};

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_MATCH_FLAGS_H_
