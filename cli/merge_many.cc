#include "cli/merge_many.h"

#include <algorithm>

#include "base/text.h"

namespace rebasin::cli {
namespace {

constexpr size_t kMaxInTable = 8;

// Both triangles of one table: before below the diagonal, after above it.
std::string DistanceTable(const ManyResult& many) {
  const size_t n = many.alignments.size();
  std::vector<std::string> header = {"model"};
  for (size_t m = 1; m <= n; ++m) header.push_back(std::to_string(m));
  Table table(std::string(n + 1, 'r'), header);
  for (size_t x = 0; x < n; ++x) {
    std::vector<std::string> row = {std::to_string(x + 1)};
    for (size_t y = 0; y < n; ++y) {
      const auto& distances =
          y < x ? many.distances_before : many.distances_after;
      row.push_back(x == y ? "-" : Number(distances[x * n + y]));
    }
    table.Add(std::move(row));
  }
  return "distances, below the diagonal before and above it after:\n" +
         table.Text();
}

struct Range {
  double least = 0, mean = 0, most = 0;
};

// The range over all pairs.
Range RangeOf(const std::vector<double>& distances, size_t n) {
  Range range{distances[1], 0, distances[1]};
  for (size_t x = 0; x < n; ++x) {
    for (size_t y = 0; y < x; ++y) {
      const double distance = distances[x * n + y];
      range.least = std::min(range.least, distance);
      range.most = std::max(range.most, distance);
      range.mean += distance;
    }
  }
  range.mean /= static_cast<double>(n * (n - 1)) / 2;
  return range;
}

std::string DistanceRanges(const ManyResult& many) {
  const size_t n = many.alignments.size();
  Table table("lrrr", {"distances", "least", "mean", "most"});
  const auto add = [&](const char* when, const std::vector<double>& distances) {
    const Range range = RangeOf(distances, n);
    table.Add(
        {when, Number(range.least), Number(range.mean), Number(range.most)});
  };
  add("before", many.distances_before);
  add("after", many.distances_after);
  return table.Text();
}

Json Rows(const std::vector<double>& distances, size_t n) {
  Json rows = Json::array();
  for (size_t m = 0; m < n; ++m) {
    rows.push_back(std::vector<double>(distances.begin() + m * n,
                                       distances.begin() + (m + 1) * n));
  }
  return rows;
}

}  // namespace

void WarnUnlessManyConverged(const ManyResult& many, Console& console) {
  if (many.converged) return;
  console.Warn("the models did not converge within " +
               Count(many.rounds, "round"));
}

std::string ManyText(const ManyResult& many) {
  return "spread around the mean: " + Number(many.spread_by_round.front()) +
         " before, " + Number(many.spread_by_round.back()) + " after " +
         Count(many.rounds, "round") + "\n" +
         (many.alignments.size() <= kMaxInTable ? DistanceTable(many)
                                                : DistanceRanges(many));
}

const char* ManyMethodName(ManyMethod method) {
  switch (method) {
    case ManyMethod::kMergeMany:
      return "mergemany";
    case ManyMethod::kConsistent:
      return "consistent";
    case ManyMethod::kFrankWolfe:
      return "frank-wolfe";
  }
  return "";
}

Json ManyJson(const ManyResult& many, ManyMethod method) {
  const size_t n = many.alignments.size();
  return {{"method", ManyMethodName(method)},
          {"rounds", many.rounds},
          {"converged", many.converged},
          {"spread_by_round", many.spread_by_round},
          {"distances_before", Rows(many.distances_before, n)},
          {"distances_after", Rows(many.distances_after, n)}};
}

std::vector<std::filesystem::path> NumberedFiles(
    const std::filesystem::path& path, size_t count) {
  std::vector<std::filesystem::path> files;
  for (size_t m = 1; m <= count; ++m) {
    files.push_back(path.parent_path() /
                    (path.stem().native() + "-" + std::to_string(m) +
                     path.extension().native()));
  }
  return files;
}

}  // namespace rebasin::cli
