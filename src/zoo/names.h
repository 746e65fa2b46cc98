// Adapts the names of a graph's weights to files saved through a wrapper.

#ifndef REBASIN_ZOO_NAMES_H_
#define REBASIN_ZOO_NAMES_H_

#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"

namespace rebasin::zoo {

// Returns the graph with the weight names of the checkpoint. If all names there
// have a prefix of a wrapper ("module.", "_orig_mod.", "model.") and none is a
// name of the graph, the graph's names get the fitting prefix.
Graph FitNames(const Graph& graph, const Checkpoint& weights);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_NAMES_H_
