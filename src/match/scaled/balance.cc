#include "match/scaled/balance.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "symmetry/layout.h"

namespace rebasin {
namespace {

// Sweeps, each a pass over the weights, end when no logarithm of a scale
// changes by more than this, or after kMaxSweeps.
constexpr double kTolerance = 1e-5;
constexpr int kMaxSweeps = 100;

struct Weights {
  const TensorSymmetry* symmetry = nullptr;
  Shape shape;
  std::vector<float> values;
  std::vector<Block> blocks;
};

// A place where a group acts: the elements of unit u are at units[u] + each of
// `rest`.
struct Place {
  std::vector<int64_t> units, rest;
  float* data = nullptr;
  bool incoming = false;
};

bool IsOutermost(const Block& block, const Slot& slot) {
  for (const Slot& other : block.slots) {
    for (const Dim& dim : other.dims) {
      if (dim.stride > slot.dims[0].stride) return false;
    }
  }
  return true;
}

class Balancer {
 public:
  Balancer(const Checkpoint& model, const Symmetry& symmetry)
      : symmetry_(symmetry), places_(symmetry.groups().size()) {
    for (const TensorSymmetry& tensor : symmetry.tensors()) {
      const Tensor* found = model.Find(tensor.name);
      if (tensor.statistic || !IsArithmetic(found->dtype)) continue;
      Weights weights{
          &tensor, found->shape, std::vector<float>(found->size()), {}};
      ReadFloats(*found, 0, weights.values);
      const bool alone = !tensor.in_list();  // lists are not balanced
      if (found->size() > 0 && alone) {
        weights.blocks = TensorBlocks(symmetry, tensor);
      }
      all_.push_back(std::move(weights));
    }
    for (Weights& weights : all_) AddPlaces(weights);
  }

  void Run(ThreadPool& pool) {
    for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
      double largest = 0;
      for (size_t g = 0; g < places_.size(); ++g) {
        largest = std::max(largest, BalanceGroup(g, pool));
      }
      if (largest < kTolerance) return;
    }
  }

  Checkpoint Finish() const {
    std::vector<Tensor> tensors;
    for (const Weights& weights : all_) {
      tensors.push_back(
          MakeTensor(weights.symmetry->name, weights.shape, weights.values));
    }
    return Checkpoint(std::move(tensors));
  }

 private:
  void AddPlaces(Weights& weights) {
    for (const Block& block : weights.blocks) {
      for (size_t s = 0; s < block.slots.size(); ++s) {
        const Slot& slot = block.slots[s];
        if (slot.root == kNoGroup || slot.dims.size() > 1) continue;
        places_[slot.root].push_back(
            {.units = Offsets(slot),
             .rest = OffsetsOfOthers(block, s),
             .data = weights.values.data() + block.offset,
             .incoming = IsOutermost(block, slot)});
      }
    }
  }

  // Returns the largest change of a unit's log scale.
  double BalanceGroup(size_t group, ThreadPool& pool) {
    const int64_t n = symmetry_.groups()[group].size;
    std::vector<double> changes(n, 0.0);
    pool.For(n, [&](int64_t u) { changes[u] = BalanceUnit(group, u); });
    return n == 0 ? 0 : *std::max_element(changes.begin(), changes.end());
  }

  double BalanceUnit(size_t group, int64_t unit) {
    double incoming = 0, outgoing = 0;
    for (const Place& place : places_[group]) {
      (place.incoming ? incoming : outgoing) += Squares(place, unit);
    }
    if (incoming <= 0 || outgoing <= 0) return 0;
    const double scale = std::pow(outgoing / incoming, 0.25);
    for (const Place& place : places_[group]) {
      Scale(place, unit, place.incoming ? scale : 1 / scale);
    }
    return std::abs(std::log(scale));
  }

  static double Squares(const Place& place, int64_t unit) {
    const float* base = place.data + place.units[unit];
    double sum = 0;
    for (int64_t offset : place.rest) {
      sum += static_cast<double>(base[offset]) * base[offset];
    }
    return sum;
  }

  static void Scale(const Place& place, int64_t unit, double scale) {
    float* base = place.data + place.units[unit];
    for (int64_t offset : place.rest) {
      base[offset] = static_cast<float>(base[offset] * scale);
    }
  }

  const Symmetry& symmetry_;
  std::vector<Weights> all_;
  std::vector<std::vector<Place>> places_;  // by group
};

}  // namespace

Checkpoint Balanced(const Checkpoint& model, const Symmetry& symmetry,
                    ThreadPool& pool) {
  Balancer balancer(model, symmetry);
  balancer.Run(pool);
  return balancer.Finish();
}

}  // namespace rebasin
