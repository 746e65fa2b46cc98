#include "match/soft/sinkhorn.h"

#include <algorithm>
#include <cmath>

namespace rebasin {
namespace {

// Avoids division by zero if a whole row or column underflows. The product of
// two such quotients is still finite.
constexpr float kSmallest = 1e-18f;

// exp((cost - potential - row maximum) / temperature). Rows can be scaled
// freely, so the shift only keeps exp in range.
std::vector<float> Exponentials(const CostMatrix& cost, double temperature,
                                const std::vector<float>& potentials) {
  std::vector<float> out(cost.n * cost.n);
  const auto inverse = static_cast<float>(1 / temperature);
  for (int64_t i = 0; i < cost.n; ++i) {
    const float* row = cost.data + i * cost.stride;
    float* to = out.data() + i * cost.n;
    for (int64_t j = 0; j < cost.n; ++j) to[j] = row[j] - potentials[j];
    const float top = *std::max_element(to, to + cost.n);
    for (int64_t j = 0; j < cost.n; ++j) {
      to[j] = std::exp((to[j] - top) * inverse);
    }
  }
  return out;
}

float WeightedSum(const float* row, const std::vector<float>& weights) {
  constexpr size_t kLanes = 16;
  float lanes[kLanes] = {};
  const size_t whole = weights.size() / kLanes * kLanes;
  for (size_t j = 0; j < whole; j += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) lanes[l] += row[j + l] * weights[j + l];
  }
  float sum = 0;
  for (size_t j = whole; j < weights.size(); ++j) sum += row[j] * weights[j];
  for (float lane : lanes) sum += lane;
  return sum;
}

}  // namespace

double StandardDeviation(const CostMatrix& matrix) {
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < matrix.n; ++i) {
    const float* row = matrix.data + i * matrix.stride;
    for (int64_t j = 0; j < matrix.n; ++j) {
      sum += row[j];
      squares += static_cast<double>(row[j]) * row[j];
    }
  }
  const double count = static_cast<double>(matrix.n * matrix.n);
  const double mean = sum / count;
  return std::sqrt(std::max(0.0, squares / count - mean * mean));
}

std::vector<float> Sinkhorn(const CostMatrix& cost, double temperature,
                            int iterations) {
  std::vector<float> potentials;
  return Sinkhorn(cost, temperature, iterations, potentials);
}

std::vector<float> Sinkhorn(const CostMatrix& cost, double temperature,
                            int iterations, std::vector<float>& potentials) {
  const int64_t n = cost.n;
  potentials.resize(n, 0.0f);
  std::vector<float> matrix = Exponentials(cost, temperature, potentials);
  // The scaled matrix is diag(rows) * matrix * diag(columns).
  std::vector<float> rows(n, 1.0f), columns(n, 1.0f), sums(n);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    for (int64_t i = 0; i < n; ++i) {
      const float* row = matrix.data() + i * n;
      rows[i] = 1 / std::max(kSmallest, WeightedSum(row, columns));
      for (int64_t j = 0; j < n; ++j) sums[j] += rows[i] * row[j];
    }
    for (int64_t j = 0; j < n; ++j)
      columns[j] = 1 / std::max(kSmallest, sums[j]);
  }
  for (int64_t i = 0; i < n; ++i) {
    float* row = matrix.data() + i * n;
    const float scale = 1 / std::max(kSmallest, WeightedSum(row, columns));
    for (int64_t j = 0; j < n; ++j) row[j] *= scale * columns[j];
  }
  for (int64_t j = 0; j < n; ++j) {
    potentials[j] -= static_cast<float>(temperature * std::log(columns[j]));
  }
  return matrix;
}

}  // namespace rebasin
