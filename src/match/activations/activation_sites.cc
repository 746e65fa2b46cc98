#include <algorithm>

#include "match/activations/activation_costs.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// The largest n such that each n consecutive steps, from a multiple of n on,
// are consecutive in memory.
int64_t RunOf(std::span<const int64_t> steps) {
  size_t run = 1;
  while (run < steps.size() && steps[run] == steps[run - 1] + 1) ++run;
  if (steps.size() % run != 0) return 1;
  for (size_t i = 0; i < steps.size(); i += run) {
    for (size_t j = 1; j < run; ++j) {
      if (steps[i + j] != steps[i] + static_cast<int64_t>(j)) return 1;
    }
  }
  return static_cast<int64_t>(run);
}

// The slot of the block's only tree, if all other slots are fixed.
const Slot* OnlyTree(const Block& block) {
  const Slot* found = nullptr;
  for (const Slot& slot : block.slots) {
    if (slot.root == kNoGroup) continue;
    if (found != nullptr) return nullptr;
    found = &slot;
  }
  return found;
}

ActivationSite SiteOf(const Block& block, const Slot& slot, size_t tap) {
  ActivationSite site{.tap = tap, .slot = slot, .units = Offsets(slot)};
  for (int64_t& unit : site.units) unit += block.offset;
  for (const Slot& other : block.slots) {
    if (other.root == kNoGroup) site.steps = Offsets(other);
  }
  if (site.steps.empty()) site.steps = {0};
  site.run = RunOf(site.steps);
  return site;
}

std::vector<Block> BlocksOf(const Symmetry& symmetry,
                            const std::vector<Axis>& axes) {
  try {
    return TensorBlocks(symmetry, {.name = "tap", .axes = axes});
  } catch (const Error&) {
    return {};  // a value may combine groups as no weight can
  }
}

}  // namespace

std::vector<ActivationSite> FindActivationSites(
    const Symmetry& symmetry, std::span<const std::vector<Axis>> taps) {
  std::vector<ActivationSite> sites;
  for (size_t t = 0; t < taps.size(); ++t) {
    for (const Block& block : BlocksOf(symmetry, taps[t])) {
      const Slot* slot = OnlyTree(block);
      if (slot != nullptr) sites.push_back(SiteOf(block, *slot, t));
    }
  }
  return sites;
}

bool SameSites(std::span<const ActivationSite> x,
               std::span<const ActivationSite> y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](const ActivationSite& a, const ActivationSite& b) {
                      return a.tap == b.tap && SameGroups(a.slot, b.slot);
                    });
}

}  // namespace rebasin
