#include "match/activation_costs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel.h"
#include "base/target_clones.h"
#include "match/gather.h"
#include "tensor/gemm.h"
#include "tensor/inner_product.h"

namespace rebasin {
namespace {

// A variance below this share of the mean square is rounding: the unit gives
// the same number on all data.
constexpr double kConstant = 1e-10;

SiteSums NoSums(int64_t units) {
  const UnitSums zeros{std::vector<double>(units), std::vector<double>(units)};
  return {zeros, zeros, 0};
}

// Samples side by side in memory: the products of each unit with itself and
// with ones are the two sums.
void AddRuns(const ActivationSite& site, const float* data, UnitSums& sums) {
  const std::vector<float> ones(site.run, 1.0f);
  std::vector<int64_t> starts;
  for (size_t s = 0; s < site.steps.size(); s += site.run) {
    starts.push_back(site.steps[s]);
  }
  const std::vector<int64_t> zeros(starts.size(), 0);
  for (size_t u = 0; u < site.units.size(); ++u) {
    const Moments found = MeasureRuns({.a = data + site.units[u],
                                       .b = ones.data(),
                                       .a_at = starts,
                                       .b_at = zeros,
                                       .length = ones.size()});
    sums.sum[u] += found.ab;
    sums.square[u] += found.aa;
  }
}

// One sample of units that lie side by side.
REBASIN_TARGET_CLONES("avx512f", "avx2", "default")
void AddSample(const float* values, size_t n, double* sum, double* square) {
  for (size_t u = 0; u < n; ++u) {
    const double x = values[u];
    sum[u] += x;
    square[u] += x * x;
  }
}

// Units side by side, or nothing at all.
void AddSteps(const ActivationSite& site, const float* data, UnitSums& sums) {
  const size_t n = site.units.size();
  const bool together =
      site.units.back() - site.units[0] == static_cast<int64_t>(n) - 1 &&
      std::is_sorted(site.units.begin(), site.units.end());
  std::vector<float> gathered(together ? 0 : n);
  for (const int64_t step : site.steps) {
    const float* values = data + step + site.units[0];
    if (!together) {
      for (size_t u = 0; u < n; ++u) gathered[u] = data[step + site.units[u]];
      values = gathered.data();
    }
    AddSample(values, n, sums.sum.data(), sums.square.data());
  }
}

void AddUnitSums(const ActivationSite& site, const float* data,
                 UnitSums& sums) {
  constexpr int64_t kShortRun = 8;
  if (site.run >= kShortRun) return AddRuns(site, data, sums);
  AddSteps(site, data, sums);
}

template <typename T>
void AddTo(std::vector<double>& sums, const std::vector<T>& values) {
  for (size_t i = 0; i < sums.size(); ++i) sums[i] += values[i];
}

void AddTo(UnitSums& sums, const UnitSums& values) {
  AddTo(sums.sum, values.sum);
  AddTo(sums.square, values.square);
}

}  // namespace

ActivationCosts::ActivationCosts(std::span<const ActivationSite> sites) {
  for (const ActivationSite& site : sites) {
    part_of_.push_back(PartFor(site.slot));
    sites_.push_back(NoSums(site.slot.size()));
  }
}

size_t ActivationCosts::PartFor(const Slot& slot) {
  for (size_t p = 0; p < parts_.size(); ++p) {
    if (SameGroups(parts_[p].slot, slot)) return p;
  }
  const int64_t n = slot.size();
  parts_.push_back({Combined(slot), std::vector<double>(n * n)});
  return parts_.size() - 1;
}

ActivationCosts::Batch::Batch(const ActivationCosts& costs) : costs_(costs) {
  for (const Part& part : costs.parts_) {
    products_.emplace_back(part.products.size(), 0.0f);
  }
  for (const SiteSums& site : costs.sites_) {
    sites_.push_back(NoSums(static_cast<int64_t>(site.a.sum.size())));
  }
}

void ActivationCosts::Batch::Measure(size_t index, const ActivationSite& site,
                                     const float* a, const float* b) {
  ThreadPool serial(1);
  const auto n = static_cast<int64_t>(site.units.size());
  const auto k = static_cast<int64_t>(site.steps.size());
  GemmAdd(serial, {.m = n, .n = n, .k = k},
          PackGathered({.data = a, .units = site.units, .steps = site.steps}),
          PackGathered({.data = b, .units = site.units, .steps = site.steps}),
          products_[costs_.part_of_[index]].data(), n);
  SiteSums& sums = sites_[index];
  AddUnitSums(site, a, sums.a);
  AddUnitSums(site, b, sums.b);
  sums.samples += k;
}

void ActivationCosts::Add(const Batch& batch) {
  for (size_t p = 0; p < parts_.size(); ++p) {
    AddTo(parts_[p].products, batch.products_[p]);
  }
  for (size_t s = 0; s < sites_.size(); ++s) {
    AddTo(sites_[s].a, batch.sites_[s].a);
    AddTo(sites_[s].b, batch.sites_[s].b);
    sites_[s].samples += batch.sites_[s].samples;
  }
}

bool ActivationCosts::AllFinite(size_t site) const {
  const auto finite = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(),
                       [](double x) { return std::isfinite(x); });
  };
  return finite(sites_[site].a.square) && finite(sites_[site].b.square) &&
         finite(parts_[part_of_[site]].products);
}

// Products of the deviations from each site's mean, summed over sites.
std::vector<double> ActivationCosts::Centred(size_t part) const {
  std::vector<double> centred = parts_[part].products;
  for (size_t s = 0; s < sites_.size(); ++s) {
    if (part_of_[s] != part || sites_[s].samples == 0) continue;
    const std::vector<double>& a = sites_[s].a.sum;
    const std::vector<double>& b = sites_[s].b.sum;
    const size_t n = a.size();
    for (size_t i = 0; i < n; ++i) {
      const double mean = a[i] / static_cast<double>(sites_[s].samples);
      for (size_t j = 0; j < n; ++j) centred[i * n + j] -= mean * b[j];
    }
  }
  return centred;
}

// One over the root of the summed squared deviations, by unit; 0 for units
// that never change.
std::vector<double> ActivationCosts::InverseDeviations(
    size_t part, UnitSums SiteSums::*model) const {
  const auto n = static_cast<size_t>(parts_[part].slot.size());
  std::vector<double> deviations(n), squares(n);
  for (size_t s = 0; s < sites_.size(); ++s) {
    if (part_of_[s] != part || sites_[s].samples == 0) continue;
    const UnitSums& sums = sites_[s].*model;
    for (size_t i = 0; i < n; ++i) {
      squares[i] += sums.square[i];
      deviations[i] +=
          sums.square[i] -
          sums.sum[i] * sums.sum[i] / static_cast<double>(sites_[s].samples);
    }
  }
  for (size_t i = 0; i < n; ++i) {
    const bool constant = deviations[i] <= kConstant * squares[i];
    deviations[i] = constant ? 0 : 1 / std::sqrt(deviations[i]);
  }
  return deviations;
}

std::vector<float> ActivationCosts::Correlations(size_t part) const {
  const std::vector<double> a = InverseDeviations(part, &SiteSums::a);
  const std::vector<double> b = InverseDeviations(part, &SiteSums::b);
  const std::vector<double> centred = Centred(part);
  std::vector<float> correlations(centred.size());
  const size_t n = a.size();
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      correlations[i * n + j] =
          static_cast<float>(centred[i * n + j] * a[i] * b[j]);
    }
  }
  return correlations;
}

// Only proportions matter, and sums of many squares may be beyond floats.
double ActivationCosts::LargestProduct(int root) const {
  double largest = 0;
  for (const Part& part : parts_) {
    if (part.slot.root != root) continue;
    for (double product : part.products) {
      largest = std::max(largest, std::abs(product));
    }
  }
  return largest > 0 ? largest : 1;
}

std::vector<float> ActivationCosts::Products(size_t part, double unit) const {
  std::vector<float> products;
  products.reserve(parts_[part].products.size());
  for (double product : parts_[part].products) {
    products.push_back(static_cast<float>(product / unit));
  }
  return products;
}

std::vector<CostPart> ActivationCosts::Costs(ActivationCost kind) const {
  std::vector<CostPart> costs;
  for (size_t p = 0; p < parts_.size(); ++p) {
    const Slot& slot = parts_[p].slot;
    costs.push_back({.slot = slot,
                     .gram = kind == ActivationCost::kCorrelation
                                 ? Correlations(p)
                                 : Products(p, LargestProduct(slot.root))});
  }
  return costs;
}

}  // namespace rebasin
