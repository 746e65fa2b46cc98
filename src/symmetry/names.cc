#include "symmetry/names.h"

#include <algorithm>
#include <vector>

#include "rebasin/error.h"

namespace rebasin {
namespace {

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool IsNameCharacter(char c) {
  return IsLetter(c) || (c >= '0' && c <= '9') || c == '.' || c == '/' ||
         c == ':' || c == '-';
}

// Levenshtein distance, computed row by row.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

// Limits on the search for similar names, which would be slow for a huge spec.
constexpr size_t kMaxCandidates = 10000;
constexpr size_t kLongestName = 200;

}  // namespace

bool IsGroupName(std::string_view name) {
  return !name.empty() && name.size() <= 256 && IsLetter(name[0]) &&
         std::all_of(name.begin(), name.end(), IsNameCharacter);
}

std::string DidYouMean(std::string_view name,
                       std::span<const std::string> candidates) {
  size_t best_distance = name.size() / 3 + 2;
  const std::string* best = nullptr;
  candidates = candidates.first(std::min(candidates.size(), kMaxCandidates));
  for (const std::string& candidate : candidates) {
    if (std::max(name.size(), candidate.size()) > kLongestName) continue;
    const size_t distance = EditDistance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = &candidate;
    }
  }
  return best == nullptr ? "" : "did you mean " + Quoted(*best) + "?";
}

}  // namespace rebasin
