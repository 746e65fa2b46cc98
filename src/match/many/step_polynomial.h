// The objective along a step t from 0 to 1, a polynomial of small degree, and
// the step that is best.

#ifndef REBASIN_MATCH_MANY_STEP_POLYNOMIAL_H_
#define REBASIN_MATCH_MANY_STEP_POLYNOMIAL_H_

#include <span>
#include <vector>

namespace rebasin {

// Sum over m of c[m] t^m (1 - t)^(d - m), d the degree. In this basis the ends
// are coefficients, and nothing cancels between them.
class StepPolynomial {
 public:
  // Adds the polynomial with these coefficients, of any degree.
  void Add(std::span<const double> coefficients);

  double Value(double t) const;
  double Slope(double t) const;

  // The t in [0, 1] with the largest value. Exact to 2^-40: maxima are looked
  // for between neighbours of a grid much finer than a polynomial of small
  // degree can turn in, and found by bisection.
  double BestStep() const;

 private:
  int degree() const { return static_cast<int>(coefficients_.size()) - 1; }

  std::vector<double> coefficients_ = {0.0};
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_MANY_STEP_POLYNOMIAL_H_
