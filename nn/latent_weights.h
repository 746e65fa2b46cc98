// The weights that straight-through matching trains, and the target of the
// projection.

#ifndef REBASIN_NN_LATENT_WEIGHTS_H_
#define REBASIN_NN_LATENT_WEIGHTS_H_

#include "nn/blend.h"
#include "nn/weights.h"
#include "rebasin/nn/straight_through.h"

namespace rebasin::nn {

class LatentWeights {
 public:
  // `start` is the midpoint with the start alignment; it must outlive the
  // object.
  LatentWeights(const Blend& start, const StraightThroughOptions& options);

  Weights& weights() { return weights_; }
  // The weights with which B is matched; the memory stays the same.
  const Weights& target() const { return apart_ ? target_ : weights_; }

  // The derivative of the point (1 - lambda) A + lambda pi(B) by these weights.
  double Slope(double lambda) const;

  // Updates target() after the weights changed.
  void Refresh();

 private:
  const Weights& a_;
  Weights weights_, target_;
  const bool midpoint_;
  const bool apart_;  // the target differs from the weights
};

// Returns the model with the graph's weights replaced by views of `numbers`.
Checkpoint WithViews(const Checkpoint& model, const Graph& graph,
                     const Weights& numbers);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_LATENT_WEIGHTS_H_
