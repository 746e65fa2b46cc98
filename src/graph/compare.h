// Compares the computations of two graphs.

#ifndef REBASIN_GRAPH_COMPARE_H_
#define REBASIN_GRAPH_COMPARE_H_

#include <string>
#include <vector>

#include "rebasin/graph.h"

namespace rebasin {

// The differences between the computations of A and B, in the order of A's
// nodes; at most a thousand. If there are none, the graphs compute the same
// outputs by the same operators, given equal weights.
//
// Weights are identified by name, constants by value. Ignored are: names of
// nodes and of other values, the order of nodes, nodes that no output needs,
// Identity and Dropout, attributes at their defaults, the types of
// floating-point numbers, and the sizes of inputs. Inputs and outputs are
// paired by name if both graphs have the same names, otherwise by position.
// Takes linear time.
std::vector<GraphDifference> CompareGraphs(const Graph& a, const Graph& b);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_COMPARE_H_
