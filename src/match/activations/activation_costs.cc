#include "match/activations/activation_costs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel.h"
#include "base/target_clones.h"
#include "match/activations/unit_sums.h"
#include "match/costs/gather.h"
#include "tensor/gemm.h"

namespace rebasin {
namespace {

// A variance below this share of the mean square is rounding error: the unit is
// constant on the data.
constexpr double kConstant = 1e-10;

// From this number of samples on, rounding deviations to bfloat16 is harmless:
// single deviations have an error of 1/500, their sums of one in thousands,
// which is less than the effect of the choice of samples.
constexpr int64_t kManySamples = 256;

SiteSums NoSums(int64_t units) {
  const UnitSums zeros{std::vector<double>(units), std::vector<double>(units)};
  return {zeros, zeros, 0};
}

// The mean of each unit, rounded to float.
std::vector<float> Means(const UnitSums& sums, int64_t samples) {
  std::vector<float> means;
  means.reserve(sums.sum.size());
  for (const double sum : sums.sum) {
    means.push_back(static_cast<float>(sum / static_cast<double>(samples)));
  }
  return means;
}

// Subtracts `zero` from each row.
REBASIN_TARGET_CLONES("avx512f", "avx2", "default")
void SubtractFromRows(const float* zero, int64_t columns, int64_t rows,
                      int64_t stride, float* out) {
  for (int64_t r = 0; r < rows; ++r, out += stride) {
    for (int64_t c = 0; c < columns; ++c) out[c] -= zero[c];
  }
}

// Packs the units of a site as deviations from the given values.
GemmPacker PackDeviations(const ActivationSite& site, const float* data,
                          std::span<const float> from) {
  return [pack = PackGathered(
              {.data = data, .units = site.units, .steps = site.steps}),
          from](const GemmPart& part, int64_t width, float* out) {
    pack(part, width, out);
    SubtractFromRows(from.data() + part.unit, part.count, part.steps, width,
                     out);
  };
}

// row += x u + y v.
REBASIN_TARGET_CLONES("avx512f", "avx2", "default")
void AddTwo(double x, const double* u, double y, const float* v, size_t n,
            double* row) {
  for (size_t j = 0; j < n; ++j) row[j] += x * u[j] + y * v[j];
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
  pieces_.resize(costs.sites_.size());
}

void ActivationCosts::Batch::Measure(size_t index, const ActivationSite& site,
                                     const float* a, const float* b) {
  const auto n = static_cast<int64_t>(site.units.size());
  const auto k = static_cast<int64_t>(site.steps.size());
  Piece piece{.sums = {SumUnits(site, a), SumUnits(site, b), k},
              .a_from = {},
              .b_from = {}};
  piece.a_from = Means(piece.sums.a, k);
  piece.b_from = Means(piece.sums.b, k);
  ThreadPool serial(1);
  GemmAdd(
      serial, {.m = n, .n = n, .k = k}, PackDeviations(site, a, piece.a_from),
      PackDeviations(site, b, piece.b_from),
      products_[costs_.part_of_[index]].data(), n,
      k < kManySamples ? GemmOperands::kExact : GemmOperands::kRoundedIfFaster);
  pieces_[index].push_back(std::move(piece));
}

void ActivationCosts::Add(const Batch& batch) {
  for (size_t p = 0; p < parts_.size(); ++p) {
    AddTo(parts_[p].products, batch.products_[p]);
  }
  for (size_t s = 0; s < sites_.size(); ++s) {
    for (const Batch::Piece& piece : batch.pieces_[s]) {
      AddFromZero(part_of_[s], piece);
      AddTo(sites_[s].a, piece.sums.a);
      AddTo(sites_[s].b, piece.sums.b);
      sites_[s].samples += piece.sums.samples;
    }
  }
}

// Computes the products from those of the deviations from p and q: sum of a b =
// sum of (a - p) (b - q) + p sum of b + q sum of (a - p).
void ActivationCosts::AddFromZero(size_t part, const Batch::Piece& piece) {
  const auto& [a, b, samples] = piece.sums;
  const size_t n = a.sum.size();
  for (size_t i = 0; i < n; ++i) {
    const double p = piece.a_from[i];
    AddTwo(p, b.sum.data(), a.sum[i] - static_cast<double>(samples) * p,
           piece.b_from.data(), n, &parts_[part].products[i * n]);
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

// The inverse root of the summed squared deviations of each unit; 0 for
// constant units.
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

// Costs are relative to this value, because sums of many squares can overflow
// floats.
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
