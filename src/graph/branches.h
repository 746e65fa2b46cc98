// Conditions of branches that follow from constants and from the sizes of a
// graph's inputs.

#ifndef REBASIN_GRAPH_BRANCHES_H_
#define REBASIN_GRAPH_BRANCHES_H_

#include <map>
#include <vector>

#include "rebasin/graph.h"

namespace rebasin {

// Removes the branches that are never taken: those whose condition is a
// constant, or follows from sizes that the graph's inputs specify. An If whose
// branch is always taken becomes Identity. Conditions that depend on the values
// of inputs, or on their open sizes, remain.
Graph WithoutDeadBranches(Graph graph);

// Values to use for conditions in place of the computed ones.
using BranchChoice = std::map<ValueId, bool>;

// Returns choices for the conditions that depend on inputs of the graph alone
// ("is the sampling rate 16000"), so that every branch is taken in at least one
// of them, up to a limit of 16 choices. Random inputs would hardly ever take
// some branches. Returns a single empty choice if there are no such conditions.
std::vector<BranchChoice> CoveringBranchChoices(const Graph& graph);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_BRANCHES_H_
