// Checks the options of straight-through matching, and converts them to a
// recipe.

#ifndef REBASIN_NN_STRAIGHT_THROUGH_OPTIONS_H_
#define REBASIN_NN_STRAIGHT_THROUGH_OPTIONS_H_

#include "nn/weights.h"
#include "rebasin/nn/straight_through.h"
#include "rebasin/nn/train.h"

namespace rebasin::nn {

// Throws Error(kUsage) for values out of range.
void CheckOptions(const StraightThroughOptions& options);

// Returns the recipe for training the latent weights; `a` are the weights of A.
Recipe RecipeOf(const StraightThroughOptions& options, uint64_t seed,
                const Weights& a);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_STRAIGHT_THROUGH_OPTIONS_H_
