// How two graphs differ.

#ifndef REBASIN_GRAPH_COMPARE_H_
#define REBASIN_GRAPH_COMPARE_H_

#include <string>
#include <vector>

#include "rebasin/graph.h"

namespace rebasin {

// How the computation of B differs from that of A, in the order of A's nodes;
// at most a thousand differences. Empty: with equal weights the graphs compute
// the same outputs by the same operators.
//
// Weights are known by their names, constants by their numbers. Names of nodes
// and of other values, the order of nodes, nodes that no output needs, Identity
// and Dropout, attributes at their defaults and the types of floating numbers
// do not matter, nor do the sizes of inputs. Inputs and outputs are paired by
// name if both graphs have the same names, else by position. Takes linear time.
std::vector<GraphDifference> CompareGraphs(const Graph& a, const Graph& b);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_COMPARE_H_
