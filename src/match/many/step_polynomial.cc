#include "match/many/step_polynomial.h"

#include <cmath>
#include <utility>

namespace rebasin {
namespace {

// Multiplies by t + (1 - t) = 1: the same polynomial with degree + 1.
std::vector<double> Raised(const std::vector<double>& c) {
  std::vector<double> raised(c.size() + 1, 0.0);
  for (size_t m = 0; m < c.size(); ++m) {
    raised[m] += c[m];
    raised[m + 1] += c[m];
  }
  return raised;
}

}  // namespace

void StepPolynomial::Add(std::span<const double> coefficients) {
  std::vector<double> other(coefficients.begin(), coefficients.end());
  while (other.size() < coefficients_.size()) other = Raised(other);
  while (coefficients_.size() < other.size()) {
    coefficients_ = Raised(coefficients_);
  }
  for (size_t m = 0; m < other.size(); ++m) coefficients_[m] += other[m];
}

double StepPolynomial::Value(double t) const {
  double value = 0;
  for (int m = 0; m <= degree(); ++m) {
    value += coefficients_[m] * std::pow(t, m) * std::pow(1 - t, degree() - m);
  }
  return value;
}

double StepPolynomial::Slope(double t) const {
  double slope = 0;
  for (int m = 0; m <= degree(); ++m) {
    const int rest = degree() - m;
    if (m > 0) {
      slope +=
          coefficients_[m] * m * std::pow(t, m - 1) * std::pow(1 - t, rest);
    }
    if (rest > 0) {
      slope -=
          coefficients_[m] * rest * std::pow(t, m) * std::pow(1 - t, rest - 1);
    }
  }
  return slope;
}

double StepPolynomial::BestStep() const {
  constexpr int kGrid = 64;
  constexpr int kHalvings = 34;
  double best = 0, most = Value(0);
  const auto consider = [&](double t) {
    const double value = Value(t);
    if (value <= most) return;
    most = value;
    best = t;
  };
  consider(1);
  for (int g = 0; g < kGrid; ++g) {
    double low = static_cast<double>(g) / kGrid;
    double high = static_cast<double>(g + 1) / kGrid;
    if (Slope(low) <= 0 || Slope(high) > 0) continue;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (low + high) / 2;
      (Slope(middle) > 0 ? low : high) = middle;
    }
    consider((low + high) / 2);
  }
  return best;
}

}  // namespace rebasin
