// Sinkhorn's algorithm: the doubly stochastic matrix nearest to a matrix of
// costs at a given temperature.

#ifndef REBASIN_MATCH_SOFT_SINKHORN_H_
#define REBASIN_MATCH_SOFT_SINKHORN_H_

#include <cstdint>
#include <span>
#include <vector>

#include "assignment/assignment.h"

namespace rebasin {

// Standard deviation of all entries.
double StandardDeviation(const CostMatrix& matrix);

// exp(cost / temperature), alternately scaled to unit rows and columns; the
// rows come last. Temperature must be positive.
std::vector<float> Sinkhorn(const CostMatrix& cost, double temperature,
                            int iterations);
// The same, from the potentials of the columns that an earlier call left (none
// at first), in units of costs: of costs that changed a little, or at another
// temperature, fewer iterations then suffice.
std::vector<float> Sinkhorn(const CostMatrix& cost, double temperature,
                            int iterations, std::vector<float>& potentials);

}  // namespace rebasin

#endif  // REBASIN_MATCH_SOFT_SINKHORN_H_
