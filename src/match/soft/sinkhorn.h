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

// Returns exp(cost / temperature) with rows and columns scaled alternately to
// sum 1, rows last. The temperature must be positive.
std::vector<float> Sinkhorn(const CostMatrix& cost, double temperature,
                            int iterations);
// The same, starting with the column potentials of an earlier call, in units of
// costs (initially empty). Fewer iterations then suffice if costs or
// temperature changed a little.
std::vector<float> Sinkhorn(const CostMatrix& cost, double temperature,
                            int iterations, std::vector<float>& potentials);

}  // namespace rebasin

#endif  // REBASIN_MATCH_SOFT_SINKHORN_H_
