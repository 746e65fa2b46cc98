#include "match/many/many_annealing.h"

#include <cmath>

#include "match/costs/gram.h"
#include "match/descent/descent.h"
#include "match/many/own_order.h"
#include "match/problem.h"
#include "match/soft/soft_match.h"

namespace rebasin {
namespace {

// Sinkhorn iterations at each visit of a tree; they continue from the last
// visit. Half as many give a worse result, twice as many hardly a better one.
constexpr int kIterations = 10;

}  // namespace

ManyAnnealing::ManyAnnealing(const ManyModels& models, ThreadPool& pool)
    : models_(models),
      pool_(pool),
      order_(Order()),
      soft_(models.size()),
      current_(models.models),
      alignments_(models.size(), Alignment(models.symmetry)),
      sum_(models.models[0], *models.symmetry, pool) {}

std::vector<int> ManyAnnealing::Order() const {
  const Problem problem(models_.models[0], models_.models[0], models_.symmetry,
                        pool_);
  GramBuilder grams(pool_);
  return Descent(problem, pool_, grams, 0).AnchoredOrder();
}

std::vector<Alignment> ManyAnnealing::Run(const ManyAnnealingOptions& options) {
  sum_.Add(current_[0], 1);
  const double cooling =
      std::pow(options.last_temperature / options.first_temperature,
               1.0 / (options.sweeps - 1));
  double temperature = options.first_temperature;
  for (int sweep = 0; sweep < options.sweeps; ++sweep) {
    for (size_t m = sweep == 0 ? 1 : 0; m < size(); ++m) {
      if (sweep == 0) sum_.Add(current_[m], 1);
      Visit(m, temperature, /*backwards=*/sweep % 2 == 1,
            /*last=*/sweep + 1 == options.sweeps);
    }
    temperature *= cooling;
  }
  return RelativeToFirst(alignments_);
}

void ManyAnnealing::Visit(size_t m, double temperature, bool backwards,
                          bool last) {
  const Problem problem(sum_.Without(current_[m], 1), models_.models[m],
                        models_.symmetry, pool_);
  SoftMatch match(problem, soft_[m], pool_);
  match.Sweep(
      order_, backwards,
      {.temperature = temperature, .iterations = kIterations, .goes_on = true});
  if (last) alignments_[m] = match.Solve();
  sum_.Add(current_[m], -1);
  current_[m] = match.Softened(models_.models[m]);
  sum_.Add(current_[m], 1);
}

}  // namespace rebasin
