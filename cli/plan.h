// The plan of a command for --dry-run, with estimates of memory and time.

#ifndef REBASIN_CLI_PLAN_H_
#define REBASIN_CLI_PLAN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "rebasin/match.h"

namespace rebasin::cli {

struct Plan {
  std::vector<std::string> steps;  // one line for each step
  int64_t bytes_read = 0;
  int64_t bytes_written = 0;
  double memory = 0;  // bytes in addition to the mapped inputs
  double seconds = 0;
  std::string output;  // empty: no output
  bool runs_networks = false;
  std::optional<MatchEstimate> match = {};  // by group
  double unrelated_seconds = 0;             // in addition, if unrelated
  bool all_groups = false;                  // prints every group

  // Throws Error(kLimit) if it cannot be done within options.memory.
  void AddMatch(const Checkpoint& model,
                const std::shared_ptr<const Symmetry>& symmetry,
                const MatchOptions& options, int threads, int64_t times = 1);
  // Adds a step that runs networks on data; its time cannot be estimated.
  void AddData(const std::string& data, const std::string& what);
  void AddRead(const Checkpoint& model);
  void AddWrite(const Checkpoint& model, const std::string& path);

  void Print(const std::string& command, Console& console) const;

 private:
  std::string GroupsText() const;
  Json GroupsJson() const;
};

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_PLAN_H_
