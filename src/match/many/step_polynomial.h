// The objective along a step t from 0 to 1, a polynomial of small degree, and
// its maximum.

#ifndef REBASIN_MATCH_MANY_STEP_POLYNOMIAL_H_
#define REBASIN_MATCH_MANY_STEP_POLYNOMIAL_H_

#include <span>
#include <vector>

namespace rebasin {

// The sum over m of c[m] t^m (1 - t)^(d - m), where d is the degree. In this
// basis the coefficients include the values at both ends, and nothing cancels
// there.
class StepPolynomial {
 public:
  // Adds the polynomial with these coefficients, of any degree.
  void Add(std::span<const double> coefficients);

  double Value(double t) const;
  double Slope(double t) const;

  // Returns the t in [0, 1] with the largest value, exact to 2^-40. Maxima are
  // bracketed by a grid that is much finer than a polynomial of small degree
  // can oscillate, and found by bisection.
  double BestStep() const;

 private:
  int degree() const { return static_cast<int>(coefficients_.size()) - 1; }

  std::vector<double> coefficients_ = {0.0};
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_MANY_STEP_POLYNOMIAL_H_
