#include "cli/plan.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

// Orders of magnitude for a common machine, which are enough for an estimate.
constexpr double kReadBytesPerSecond = 3e9;
constexpr double kWriteBytesPerSecond = 1e9;
constexpr double kStreamMemory = 4e7;

// More groups than this are not listed without being asked for.
constexpr size_t kMostGroups = 12;

}  // namespace

void Plan::AddMatch(const Checkpoint& model,
                    const std::shared_ptr<const Symmetry>& symmetry,
                    const MatchOptions& options, int threads, int64_t times) {
  steps.push_back(
      "match " +
      Count(static_cast<int64_t>(symmetry->groups().size()), "group") +
      " of units");
  const MatchSpeed speed = MeasureMatchSpeed({.threads = threads});
  match = EstimateMatch(model, symmetry, options, speed);
  const auto visits = static_cast<double>(times);
  seconds += visits * match->seconds;
  unrelated_seconds += visits * (match->unrelated_seconds - match->seconds);
  memory = std::max(memory, match->memory);
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

// The groups that take longest, in the order of their visits.
std::string Plan::GroupsText() const {
  const std::vector<GroupEstimate>& groups = match->groups;
  const auto time = [](const GroupEstimate& group) {
    return group.start_seconds + group.pass_seconds;
  };
  std::vector<double> times;
  for (const GroupEstimate& group : groups) times.push_back(time(group));
  std::sort(times.rbegin(), times.rend());
  const bool all = all_groups || groups.size() <= kMostGroups;
  const double least = all ? 0 : times[kMostGroups - 1];
  Table table("lrrrl", {"group", "start", "passes", "costs", ""});
  size_t listed = 0;
  for (const GroupEstimate& group : groups) {
    if (time(group) < least || (!all && listed == kMostGroups)) continue;
    ++listed;
    table.Add({Printable(group.group), HumanSeconds(group.start_seconds),
               HumanSeconds(group.pass_seconds),
               HumanBytes(static_cast<double>(group.cost_bytes)),
               group.keeps_costs ? "kept" : "computed when needed"});
  }
  std::string text = table.empty() ? "" : table.Text();
  if (listed < groups.size()) {
    text += "and " + std::to_string(groups.size() - listed) +
            " more groups, which take less; -v lists all\n";
  }
  return text;
}

Json Plan::GroupsJson() const {
  Json json = Json::array();
  for (const GroupEstimate& group : match->groups) {
    json.push_back({{"group", group.group},
                    {"start_seconds", group.start_seconds},
                    {"pass_seconds", group.pass_seconds},
                    {"start_flops", group.start_flops},
                    {"pass_flops", group.pass_flops},
                    {"cost_bytes", group.cost_bytes},
                    {"keeps_costs", group.keeps_costs}});
  }
  return json;
}

void Plan::Print(const std::string& command, Console& console) const {
  std::string text = "dry run: nothing is written\n";
  for (size_t i = 0; i < steps.size(); ++i) {
    text += "  " + std::to_string(i + 1) + ". " + steps[i] + "\n";
  }
  if (match) text += GroupsText();
  text += "reads " + HumanBytes(static_cast<double>(bytes_read)) + ", writes " +
          HumanBytes(static_cast<double>(bytes_written)) + "; about " +
          HumanBytes(memory) + " of memory and " + HumanSeconds(seconds) +
          (runs_networks ? "; the time for running networks depends on the "
                           "data and is not estimated\n"
                         : "\n");
  Json json = {{"command", command},
               {"dry_run", true},
               {"steps", steps},
               {"bytes_read", bytes_read},
               {"bytes_written", bytes_written},
               {"memory_bytes", memory},
               {"seconds", seconds},
               {"runs_networks", runs_networks}};
  if (match) {
    text += "matching takes longer if the models are unrelated: about " +
            HumanSeconds(seconds + unrelated_seconds) + " in all\n";
    json["unrelated_seconds"] = seconds + unrelated_seconds;
    json["groups"] = GroupsJson();
  }
  console.Result(text, std::move(json));
}

}  // namespace rebasin::cli
