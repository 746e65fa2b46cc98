// The options of straight-through matching: are they sound, and what training
// do they describe?

#ifndef REBASIN_NN_STRAIGHT_THROUGH_OPTIONS_H_
#define REBASIN_NN_STRAIGHT_THROUGH_OPTIONS_H_

#include "nn/weights.h"
#include "rebasin/nn/straight_through.h"
#include "rebasin/nn/train.h"

namespace rebasin::nn {

// Throws Error(kUsage) for what cannot be meant.
void CheckOptions(const StraightThroughOptions& options);

// How the latent weights are trained, those of A being these.
Recipe RecipeOf(const StraightThroughOptions& options, uint64_t seed,
                const Weights& a);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_STRAIGHT_THROUGH_OPTIONS_H_
