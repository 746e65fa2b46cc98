#include "match/scaled/gauge.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>
#include <utility>

#include "match/scaled/scaled_places.h"

namespace rebasin {
namespace {

// Sweeps, each a pass over the weights, end when no logarithm of a scale
// changes by more than this, or after kMaxSweeps.
constexpr double kTolerance = 1e-9;
constexpr int kMaxSweeps = 300;

void FillSquares(const Tensor& tensor, std::vector<double>& out) {
  ReadDoubles(tensor, 0, out);
  for (double& value : out) value *= value;
}

// The scale that balances the part that grows with its square and the part that
// falls with it; 1 if one of them is zero.
double Balance(double rising, double falling) {
  const double scale = std::pow(falling / rising, 0.25);
  return std::isnormal(scale) && std::isnormal(1 / scale) ? scale : 1;
}

// True for a tensor of one axis in which no two signs meet.
bool IsSimple(const Symmetry& symmetry, const Tensor& tensor) {
  std::set<std::pair<int, int>> seen;  // segment, group
  for (const ScalingDegree& degree : symmetry.Degrees(tensor.name)) {
    const Scaling& scaling = symmetry.scalings()[degree.scaling];
    if (scaling.kind != ScalingKind::kSign) continue;
    if (!seen.insert({degree.segment, scaling.group}).second) return false;
  }
  return tensor.shape.size() == 1;
}

// Calls task(scaling) for the scalings of a kind.
template <typename Task>
void ForScalings(const Symmetry& symmetry, ScalingKind kind, const Task& task) {
  for (size_t s = 0; s < symmetry.scalings().size(); ++s) {
    if (symmetry.scalings()[s].kind == kind) task(static_cast<int>(s));
  }
}

double& FactorOf(Alignment& alignment, int scaling, int64_t unit) {
  const int group = alignment.symmetry().scalings()[scaling].group;
  const int64_t size = alignment.symmetry().groups()[group].size;
  return alignment.mutable_factors(scaling, unit / size)[unit % size];
}

}  // namespace

Alignment LeastScales(const Checkpoint& model,
                      std::shared_ptr<const Symmetry> symmetry,
                      ThreadPool& pool) {
  Alignment gauge(symmetry);
  ScaledPlaces squares(model, *symmetry, ScalingKind::kScale, FillSquares);
  double largest = 1;
  for (int sweep = 0; sweep < kMaxSweeps && largest > kTolerance; ++sweep) {
    largest = 0;
    ForScalings(*symmetry, ScalingKind::kScale, [&](int s) {
      std::vector<double> changes(static_cast<size_t>(squares.units(s)), 0.0);
      squares.ForUnits(s, pool, [&](int64_t unit) {
        const double scale =
            Balance(squares.Sum(s, unit, 1), squares.Sum(s, unit, -1));
        squares.Multiply(s, unit, scale * scale);
        FactorOf(gauge, s, unit) *= scale;
        changes[static_cast<size_t>(unit)] = std::abs(std::log(scale));
      });
      for (double change : changes) largest = std::max(largest, change);
    });
  }
  return gauge;
}

Alignment PositiveSigns(const Checkpoint& model,
                        std::shared_ptr<const Symmetry> symmetry,
                        std::span<const int> scalings) {
  Alignment signs(symmetry);
  const ScaledPlaces values(
      model, *symmetry, ScalingKind::kSign,
      [&](const Tensor& tensor, std::vector<double>& out) {
        if (IsSimple(*symmetry, tensor)) ReadDoubles(tensor, 0, out);
      });
  for (int s : scalings) {
    for (int64_t unit = 0; unit < values.units(s); ++unit) {
      if (values.Sum(s, unit, 1) < 0) FactorOf(signs, s, unit) = -1;
    }
  }
  return signs;
}

Alignment BestSigns(const Checkpoint& a, const Checkpoint& b,
                    std::shared_ptr<const Symmetry> symmetry,
                    ThreadPool& pool) {
  Alignment signs(symmetry);
  // Only the products of A's and B's weights are needed.
  ScaledPlaces products(b, *symmetry, ScalingKind::kSign,
                        [&](const Tensor& tensor, std::vector<double>& out) {
                          ReadDoubles(tensor, 0, out);
                          std::vector<double> others(out.size());
                          ReadDoubles(*a.Find(tensor.name), 0, others);
                          for (size_t i = 0; i < out.size(); ++i)
                            out[i] *= others[i];
                        });
  std::atomic<bool> changed = true;
  for (int sweep = 0; sweep < kMaxSweeps && changed; ++sweep) {
    changed = false;
    ForScalings(*symmetry, ScalingKind::kSign, [&](int s) {
      products.ForUnits(s, pool, [&](int64_t unit) {
        const double before = products.Sum(s, unit, 1);
        products.Multiply(s, unit, -1);
        if (products.Sum(s, unit, 1) > before) {
          FactorOf(signs, s, unit) *= -1;
          changed = true;
        } else {
          products.Multiply(s, unit, -1);
        }
      });
    });
  }
  return signs;
}

}  // namespace rebasin
