// Conditions that the sizes of a graph's inputs and its constants decide.

#ifndef REBASIN_GRAPH_BRANCHES_H_
#define REBASIN_GRAPH_BRANCHES_H_

#include <map>
#include <vector>

#include "rebasin/graph.h"

namespace rebasin {

// The graph without the branches that are never taken: those whose condition
// is a constant, or follows from sizes that the graph's inputs state. An If of
// a branch that is always taken becomes Identity. Conditions that depend on
// the values of inputs, or on sizes that they leave open, stay as they are.
Graph WithoutDeadBranches(Graph graph);

// Conditions that are to have these values, whatever their inputs are.
using BranchChoice = std::map<ValueId, bool>;

// Choices for the conditions that follow from inputs of the graph alone ("is
// the sampling rate 16000"), such that every branch is taken in one of them (of
// at most 16). Random inputs would hardly ever take some branches. One choice
// of nothing if there are no such conditions.
std::vector<BranchChoice> ChoicesOf(const Graph& graph);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_BRANCHES_H_
