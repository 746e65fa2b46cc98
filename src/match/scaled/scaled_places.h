// Where the units of scalings lie in numbers held in memory, one array of
// doubles for each tensor: for whoever adds up and multiplies what belongs to
// one unit.

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

  // The tensors of `model` that scalings of this kind act on and that take part
  // in matching. The symmetry must outlive it.
  ScaledPlaces(const Checkpoint& model, const Symmetry& symmetry,
               ScalingKind kind, const Fill& fill);

  // The sum over all places of the unit (counted over all copies) of degree
  // `degree`.
  double Sum(int scaling, int64_t unit, int degree) const;
  // Multiplies all elements of the unit by `factor` to the power of their
  // degrees.
  void Multiply(int scaling, int64_t unit, double factor);

  int64_t units(int scaling) const;
  // Calls task(unit) for all units: in parallel, if no element belongs to two
  // of them, else in turn.
  void ForUnits(int scaling, ThreadPool& pool,
                const std::function<void(int64_t)>& task) const;

 private:
  struct Place {
    double* data = nullptr;
    int degree = 1;
    // All elements of unit u lie at one of units[u] plus one of rest.
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
