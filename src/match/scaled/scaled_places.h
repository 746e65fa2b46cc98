// The elements on which scalings act, as one array of doubles for each tensor;
// sums and multiplies the elements of single units.

#ifndef REBASIN_MATCH_SCALED_SCALED_PLACES_H_
#define REBASIN_MATCH_SCALED_SCALED_PLACES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "rebasin/checkpoint.h"
#include "rebasin/symmetry.h"

namespace rebasin {

class ScaledPlaces {
 public:
  // Fills the array of a tensor.
  using Fill = std::function<void(const Tensor&, std::vector<double>&)>;

  // Takes the matched tensors of `model` on which scalings of this kind act.
  // The symmetry must outlive the object.
  ScaledPlaces(const Checkpoint& model, const Symmetry& symmetry,
               ScalingKind kind, const Fill& fill);

  // The sum over all elements of degree `degree` of the unit, counted over all
  // copies.
  double Sum(int scaling, int64_t unit, int degree) const;
  // Multiplies each element of the unit by `factor` to the power of its degree.
  void Multiply(int scaling, int64_t unit, double factor);

  int64_t units(int scaling) const;
  // Calls task(unit) for all units: in parallel if no element belongs to two
  // units, otherwise serially.
  void ForUnits(int scaling, ThreadPool& pool,
                const std::function<void(int64_t)>& task) const;

 private:
  struct Place {
    double* data = nullptr;
    int degree = 1;
    // The elements of unit u are at units[u] plus each entry of `rest`.
    std::vector<std::vector<int64_t>> units;
    std::vector<int64_t> rest;
  };

  void AddTensor(const TensorSymmetry& tensor, double* data, ScalingKind kind);

  const Symmetry& symmetry_;
  std::map<std::string, std::vector<double>> arrays_;
  std::vector<std::vector<Place>> places_;  // by scaling
  std::vector<bool> coupled_;               // by scaling
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_SCALED_SCALED_PLACES_H_
