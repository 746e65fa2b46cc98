#include "match/activations/unit_sums.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "base/target_clones.h"

namespace rebasin {
namespace {

// sums += values - zeros, and the same for squares.
REBASIN_TARGET_CLONES("avx512f", "avx2", "default")
void AddDeviations(const float* values, const float* zeros, size_t n,
                   float* sums, float* squares) {
  for (size_t i = 0; i < n; ++i) {
    const float x = values[i] - zeros[i];
    sums[i] += x;
    squares[i] += x * x;
  }
}

// Sums of adjacent units. Deviations are summed in floats, and moved to doubles
// before precision is lost. A constant unit has deviations of exactly zero.
class LaneSums {
 public:
  explicit LaneSums(std::span<const float> zeros)
      : zeros_(zeros.begin(), zeros.end()),
        short_sums_(zeros.size()),
        short_squares_(zeros.size()),
        sums_(zeros.size()),
        squares_(zeros.size()) {}

  void Add(const float* values, size_t n) {
    constexpr int kMaxInFloats = 128;
    AddDeviations(values, zeros_.data(), n, short_sums_.data(),
                  short_squares_.data());
    if (++added_ == kMaxInFloats) Carry();
  }

  // Sums of the `count` values in this lane, from value = zero + deviation.
  std::pair<double, double> Finish(size_t lane, int64_t count) {
    if (added_ > 0) Carry();
    const double zero = zeros_[lane], n = static_cast<double>(count);
    return {sums_[lane] + n * zero,
            squares_[lane] + zero * (2 * sums_[lane] + n * zero)};
  }

 private:
  void Carry() {
    for (size_t i = 0; i < zeros_.size(); ++i) {
      sums_[i] += std::exchange(short_sums_[i], 0.0f);
      squares_[i] += std::exchange(short_squares_[i], 0.0f);
    }
    added_ = 0;
  }

  std::vector<float> zeros_, short_sums_, short_squares_;
  std::vector<double> sums_, squares_;
  int added_ = 0;
};

// For units with contiguous samples: sums in lanes, which are added at the end.
void AddRuns(const ActivationSite& site, const float* data, UnitSums& sums) {
  constexpr int64_t kLanes = 128;
  const auto runs = static_cast<int64_t>(site.steps.size()) / site.run;
  for (size_t u = 0; u < site.units.size(); ++u) {
    const float* unit = data + site.units[u];
    LaneSums lanes(std::vector<float>(kLanes, unit[site.steps[0]]));
    for (int64_t r = 0; r < runs; ++r) {
      const float* run = unit + site.steps[r * site.run];
      for (int64_t i = 0; i < site.run; i += kLanes) {
        lanes.Add(run + i, std::min(kLanes, site.run - i));
      }
    }
    for (int64_t l = 0; l < std::min(kLanes, site.run); ++l) {
      const int64_t count = runs * ((site.run - l + kLanes - 1) / kLanes);
      const auto [sum, square] = lanes.Finish(l, count);
      sums.sum[u] += sum;
      sums.square[u] += square;
    }
  }
}

// For adjacent units, or units with no contiguous elements.
void AddSteps(const ActivationSite& site, const float* data, UnitSums& sums) {
  const size_t n = site.units.size();
  const bool together =
      site.units.back() - site.units[0] == static_cast<int64_t>(n) - 1 &&
      std::is_sorted(site.units.begin(), site.units.end());
  std::vector<float> gathered(together ? 0 : n);
  const auto sample = [&](int64_t step) {
    if (together) return data + step + site.units[0];
    for (size_t u = 0; u < n; ++u) gathered[u] = data[step + site.units[u]];
    return static_cast<const float*>(gathered.data());
  };
  LaneSums lanes({sample(site.steps[0]), n});
  for (const int64_t step : site.steps) lanes.Add(sample(step), n);
  for (size_t u = 0; u < n; ++u) {
    const auto count = static_cast<int64_t>(site.steps.size());
    std::tie(sums.sum[u], sums.square[u]) = lanes.Finish(u, count);
  }
}

}  // namespace

UnitSums SumUnits(const ActivationSite& site, const float* data) {
  constexpr int64_t kShortRun = 8;
  const size_t n = site.units.size();
  UnitSums sums{std::vector<double>(n), std::vector<double>(n)};
  if (n == 0 || site.steps.empty()) return sums;
  if (site.run >= kShortRun) {
    AddRuns(site, data, sums);
  } else {
    AddSteps(site, data, sums);
  }
  return sums;
}

}  // namespace rebasin
