#include "cli/plan.h"

#include <algorithm>
#include <thread>

#include "base/text.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

// Orders of magnitude for a common machine, which are enough for an estimate.
constexpr double kFlopsPerCore = 5e10;
constexpr double kReadBytesPerSecond = 3e9;
constexpr double kWriteBytesPerSecond = 1e9;
constexpr double kStreamMemory = 4e7;

double Threads(int threads) {
  if (threads > 0) return threads;
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

void Plan::AddMatch(const Checkpoint& model, const Symmetry& symmetry,
                    const MatchOptions& options, int threads, int64_t times) {
  steps.push_back(
      "match " +
      Count(static_cast<int64_t>(symmetry.groups().size()), "group") +
      " of units");
  const MatchEstimate estimate = EstimateMatch(symmetry, options);
  seconds += static_cast<double>(times) *
             (estimate.flops / (kFlopsPerCore * Threads(threads)) +
              2 * static_cast<double>(model.bytes()) / kReadBytesPerSecond);
  memory = std::max(memory, estimate.cost_bytes);
}

void Plan::AddData(const std::string& data, const std::string& what) {
  steps.push_back(what + " " + Quoted(data));
  runs_networks = true;
}

void Plan::AddRead(const Checkpoint& model) {
  bytes_read += model.bytes();
  seconds += static_cast<double>(model.bytes()) / kReadBytesPerSecond;
}

void Plan::AddWrite(const Checkpoint& model, const std::string& path) {
  output = path;
  steps.push_back("write " + Quoted(path));
  bytes_written += model.bytes();
  seconds += static_cast<double>(model.bytes()) / kWriteBytesPerSecond;
  memory = std::max(memory, kStreamMemory);
}

void Plan::Print(const std::string& command, Console& console) const {
  std::string text = "dry run: nothing is written\n";
  for (size_t i = 0; i < steps.size(); ++i) {
    text += "  " + std::to_string(i + 1) + ". " + steps[i] + "\n";
  }
  text += "reads " + HumanBytes(static_cast<double>(bytes_read)) + ", writes " +
          HumanBytes(static_cast<double>(bytes_written)) + "; about " +
          HumanBytes(memory) + " of memory and " + HumanSeconds(seconds) +
          (runs_networks ? "; the time for running networks depends on the "
                           "data and is not estimated\n"
                         : "\n");
  console.Result(text, {{"command", command},
                        {"dry_run", true},
                        {"steps", steps},
                        {"bytes_read", bytes_read},
                        {"bytes_written", bytes_written},
                        {"memory_bytes", memory},
                        {"seconds", seconds},
                        {"runs_networks", runs_networks}});
}

}  // namespace rebasin::cli
