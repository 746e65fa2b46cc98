#include "match/cost_memory.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "match/costs/gram.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

int64_t Alone(const TreeWork& work) {
  return work.cost_bytes + work.solve_bytes;
}

std::string Bytes(int64_t bytes) {
  return HumanBytes(static_cast<double>(bytes));
}

[[noreturn]] void FailSmall(const Problem& problem, const TreeWork& largest,
                            int64_t memory) {
  const int root = problem.roots()[static_cast<size_t>(largest.tree)];
  const std::string& group =
      problem.symmetry()->groups()[static_cast<size_t>(root)].name;
  throw Error(ErrorCode::kLimit,
              Bytes(memory) + " of memory are too little: the costs of group " +
                  Quoted(group) + " take " + Bytes(Alone(largest)) + ", and " +
                  Bytes(kMemoryBesideCosts) + " are needed besides",
              "give at least " + Bytes(Alone(largest) + kMemoryBesideCosts));
}

}  // namespace

int64_t PeakOfCosts(std::span<const TreeWork> work) {
  int64_t kept = 0, once = 0, solving = 0;
  for (const TreeWork& tree : work) {
    solving = std::max(solving, tree.solve_bytes);
    if (tree.keeps_costs) {
      kept += tree.cost_bytes;
    } else {
      once = std::max(once, tree.cost_bytes);
    }
  }
  return kept + once + solving;
}

int64_t CostMemory(const Problem& problem, const MatchOptions& options,
                   ThreadPool& pool) {
  if (options.memory == 0) return options.cost_memory;
  GramBuilder grams(pool);
  std::vector<TreeWork> work = Descent(problem, pool, grams, 0).Work();
  std::stable_sort(work.begin(), work.end(),
                   [](const TreeWork& x, const TreeWork& y) {
                     return x.cost_bytes < y.cost_bytes;
                   });
  for (TreeWork& tree : work) tree.keeps_costs = false;
  const int64_t available = options.memory - kMemoryBesideCosts;
  const auto largest = std::max_element(
      work.begin(), work.end(),
      [](const TreeWork& x, const TreeWork& y) { return Alone(x) < Alone(y); });
  if (largest != work.end() && Alone(*largest) > available) {
    FailSmall(problem, *largest, options.memory);
  }
  int64_t kept = 0;
  for (TreeWork& tree : work) {
    tree.keeps_costs = true;
    if (PeakOfCosts(work) > available) break;
    kept += tree.cost_bytes;
  }
  return kept;
}

}  // namespace rebasin
