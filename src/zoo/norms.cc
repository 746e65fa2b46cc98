#include "zoo/norms.h"

#include <algorithm>
#include <utility>

#include "zoo/layers.h"

namespace rebasin::zoo {
namespace {

constexpr int64_t kMaxGroups = 1024;

}  // namespace

ZooOption Norm(std::vector<std::string> words) {
  return Choice("norm", std::move(words),
                "after convolutions; layer: over the channels");
}

ZooOption NormGroups() {
  return Number("groups", 0, 0, kMaxGroups,
                "of norm=group; 0: up to 8, of two channels at least");
}

ValueId Norm2d(GraphBuilder& g, const Settings& settings,
               const std::string& name, ValueId x) {
  const std::string& word = settings.Text("norm");
  if (word == "batch") return BatchNorm2d(g, name, x);
  if (word == "instance") return InstanceNorm2d(g, name, x);
  return word == "group" ? GroupNorm2d(g, name, x, settings.Int("groups"))
                         : LayerNorm2d(g, name, x);
}

std::vector<Findings> NormChoices(const Clues& clues, const std::string& name,
                                  int64_t channels) {
  if (clues.Has(name + ".running_mean") || !clues.Has(name + ".weight")) {
    return {};
  }
  std::vector<Findings> choices = {{{"norm", "layer"}}, {{"norm", "instance"}}};
  for (int64_t groups = 1; groups <= std::min(channels, kMaxGroups); ++groups) {
    if (channels % groups != 0) continue;
    choices.push_back({{"norm", "group"}, {"groups", groups}});
  }
  choices.push_back({{"norm", "group"}, {"groups", int64_t{0}}});
  return choices;
}

}  // namespace rebasin::zoo
