// What tests want to know of a discovery: axis expressions as text, and proof
// by running that the symmetry found is one.

#ifndef REBASIN_TESTS_DISCOVERY_DISCOVERED_H_
#define REBASIN_TESTS_DISCOVERY_DISCOVERED_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rebasin/checkpoint.h"
#include "rebasin/discovery.h"
#include "rebasin/graph.h"

namespace rebasin::testing {

// The axes of a weight, as a spec would say them: {"fc1", "784"}.
std::vector<std::string> AxesOf(const Symmetry& symmetry,
                                const std::string& weight);

// Random weights for a graph: scales near one, positive where they are
// variances, small enough elsewhere for activations to stay in range.
Checkpoint RandomWeights(const Graph& graph, uint64_t seed);

// Permutes random weights by random elements of the symmetry, and expects the
// outputs to stay the same.
void ExpectSameFunction(const Graph& graph, const Symmetry& symmetry,
                        int trials = 2);

// The largest relative difference of the outputs that a random element makes.
double FunctionDifference(const Graph& graph, const Symmetry& symmetry,
                          uint64_t seed);

// The same with inputs of these shapes, whatever sizes discovery looked at.
// Nothing if the graph does not permit them, or gives no finite outputs.
std::optional<double> FunctionDifferenceAt(const Graph& graph,
                                           const Symmetry& symmetry,
                                           const std::vector<Shape>& shapes,
                                           uint64_t seed);

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_DISCOVERY_DISCOVERED_H_
