// The weights that straight-through matching trains, and what of them is
// projected onto the orbit of B.

#ifndef REBASIN_NN_LATENT_WEIGHTS_H_
#define REBASIN_NN_LATENT_WEIGHTS_H_

#include "nn/blend.h"
#include "nn/weights.h"
#include "rebasin/nn/straight_through.h"

namespace rebasin::nn {

class LatentWeights {
 public:
  // `start` is the midpoint with the start alignment; it must outlive this.
  LatentWeights(const Blend& start, const StraightThroughOptions& options);

  Weights& weights() { return weights_; }
  // What B is matched with; the same memory all the time.
  const Weights& target() const { return apart_ ? target_ : weights_; }

  // How the point (1 - lambda) A + lambda pi(B) changes with these weights.
  double Slope(double lambda) const;

  // To be called when the weights have changed.
  void Refresh();

 private:
  const Weights& a_;
  Weights weights_, target_;
  const bool midpoint_;
  const bool apart_;  // the target is not the weights themselves
};

// The model with the graph's weights replaced by these numbers, in place.
Checkpoint WithViews(const Checkpoint& model, const Graph& graph,
                     const Weights& numbers);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_LATENT_WEIGHTS_H_
