#include "match/state/descent_state.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace rebasin {
namespace {

bool IsPermutation(std::span<const int32_t> units) {
  std::vector<bool> seen(units.size(), false);
  for (const int32_t unit : units) {
    if (unit < 0 || static_cast<size_t>(unit) >= seen.size()) return false;
    if (seen[static_cast<size_t>(unit)]) return false;
    seen[static_cast<size_t>(unit)] = true;
  }
  return true;
}

std::string NameOf(int group) { return "group." + std::to_string(group); }

void RestoreGroup(const StateReader& from, int group, Alignment& alignment) {
  const int64_t copies = alignment.symmetry().Copies(group);
  const auto size =
      static_cast<size_t>(alignment.symmetry().groups()[group].size);
  std::vector<int32_t> all(static_cast<size_t>(copies) * size);
  from.Read(NameOf(group), std::span(all));
  for (int64_t copy = 0; copy < copies; ++copy) {
    const auto units =
        std::span(all).subspan(static_cast<size_t>(copy) * size, size);
    if (!IsPermutation(units)) from.Fail(NameOf(group));
    std::copy(units.begin(), units.end(),
              alignment.mutable_permutation(group, copy).begin());
  }
}

std::vector<double> RestoreFinite(const StateReader& from,
                                  const std::string& name, int64_t n) {
  std::vector<double> values(static_cast<size_t>(n));
  from.Read(name, std::span(values));
  for (const double value : values) {
    if (!std::isfinite(value)) from.Fail(name);
  }
  return values;
}

}  // namespace

void SaveAlignment(const Alignment& alignment, StateWriter& to) {
  const auto groups = static_cast<int>(alignment.symmetry().groups().size());
  for (int group = 0; group < groups; ++group) {
    std::vector<int32_t> all;
    for (int64_t c = 0; c < alignment.symmetry().Copies(group); ++c) {
      const auto units = alignment.permutation(group, c);
      all.insert(all.end(), units.begin(), units.end());
    }
    to.Add(NameOf(group), std::span<const int32_t>(all));
  }
}

void RestoreAlignment(const StateReader& from, Alignment& alignment) {
  const auto groups = static_cast<int>(alignment.symmetry().groups().size());
  for (int group = 0; group < groups; ++group) {
    RestoreGroup(from, group, alignment);
  }
}

void SaveDuals(const AssignmentDuals& duals, const std::string& prefix,
               StateWriter& to) {
  if (duals.rows.empty()) return;
  to.Add(prefix + "rows", std::span<const double>(duals.rows));
  to.Add(prefix + "columns", std::span<const double>(duals.columns));
}

AssignmentDuals RestoreDuals(const StateReader& from, const std::string& prefix,
                             int64_t n) {
  if (!from.Has(prefix + "rows")) return {};
  return {.rows = RestoreFinite(from, prefix + "rows", n),
          .columns = RestoreFinite(from, prefix + "columns", n)};
}

}  // namespace rebasin
