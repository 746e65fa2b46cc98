// Conditions that the sizes of a graph's inputs and its constants decide.

#ifndef REBASIN_GRAPH_BRANCHES_H_
#define REBASIN_GRAPH_BRANCHES_H_

#include "rebasin/graph.h"

namespace rebasin {

// The graph without the branches that are never taken: those whose condition
// is a constant, or follows from sizes that the graph's inputs state. An If of
// a branch that is always taken becomes Identity. Conditions that depend on
// the values of inputs, or on sizes that they leave open, stay as they are.
Graph WithoutDeadBranches(Graph graph);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_BRANCHES_H_
