#include "match/scaled/scaled_places.h"

#include "symmetry/scaling.h"

namespace rebasin {

ScaledPlaces::ScaledPlaces(const Checkpoint& model, const Symmetry& symmetry,
                           ScalingKind kind, const Fill& fill)
    : symmetry_(symmetry),
      places_(symmetry.scalings().size()),
      coupled_(symmetry.scalings().size(), false) {
  for (const TensorSymmetry& tensor : symmetry.tensors()) {
    const Tensor& held = *model.Find(tensor.name);
    bool touched = false;
    for (const ScalingDegree& degree : symmetry.Degrees(tensor.name)) {
      touched |= symmetry.scalings()[degree.scaling].kind == kind;
    }
    if (!touched || tensor.statistic || held.size() == 0 ||
        !IsArithmetic(held.dtype)) {
      continue;
    }
    std::vector<double>& array = arrays_[tensor.name];
    array.resize(static_cast<size_t>(held.size()));
    fill(held, array);
    AddTensor(tensor, array.data(), kind);
  }
}

void ScaledPlaces::AddTensor(const TensorSymmetry& tensor, double* data,
                             ScalingKind kind) {
  const auto degrees = symmetry_.Degrees(tensor.name);
  for (const Block& block : TensorBlocks(symmetry_, tensor)) {
    for (size_t s = 0; s < block.slots.size(); ++s) {
      const Slot& slot = block.slots[s];
      for (const ScalingDegree& degree : degrees) {
        const Scaling& scaling = symmetry_.scalings()[degree.scaling];
        const int dim = ScaledDim(slot, degree, symmetry_);
        if (dim < 0 || scaling.kind != kind) continue;
        Place place{.data = data + block.offset,
                    .degree = degree.degree,
                    .units = {},
                    .rest = OffsetsOfOthers(block, s)};
        place.units.resize(static_cast<size_t>(units(degree.scaling)));
        const auto offsets = Offsets(slot);
        const auto of = UnitsAlong(slot, static_cast<size_t>(dim), symmetry_);
        for (size_t i = 0; i < offsets.size(); ++i) {
          place.units[static_cast<size_t>(of[i])].push_back(offsets[i]);
        }
        places_[degree.scaling].push_back(std::move(place));
      }
    }
  }
  // On two axes of a tensor, each element belongs to two units.
  for (const ScalingDegree& x : degrees) {
    for (const ScalingDegree& y : degrees) {
      if (x.scaling == y.scaling && x.axis != y.axis)
        coupled_[x.scaling] = true;
    }
  }
}

int64_t ScaledPlaces::units(int scaling) const {
  const int group = symmetry_.scalings()[scaling].group;
  return symmetry_.groups()[group].size * symmetry_.Copies(group);
}

double ScaledPlaces::Sum(int scaling, int64_t unit, int degree) const {
  double sum = 0;
  for (const Place& place : places_[scaling]) {
    if (place.degree != degree) continue;
    for (int64_t begin : place.units[static_cast<size_t>(unit)]) {
      for (int64_t offset : place.rest) sum += place.data[begin + offset];
    }
  }
  return sum;
}

void ScaledPlaces::Multiply(int scaling, int64_t unit, double factor) {
  for (const Place& place : places_[scaling]) {
    const double by = place.degree > 0 ? factor : 1 / factor;
    for (int64_t begin : place.units[static_cast<size_t>(unit)]) {
      for (int64_t offset : place.rest) place.data[begin + offset] *= by;
    }
  }
}

void ScaledPlaces::ForUnits(int scaling, ThreadPool& pool,
                            const std::function<void(int64_t)>& task) const {
  const int64_t count = units(scaling);
  if (!coupled_[scaling]) return pool.For(count, task);
  for (int64_t unit = 0; unit < count; ++unit) task(unit);
}

}  // namespace rebasin
