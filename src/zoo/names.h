// Names of a graph's weights and of a file that was saved through a wrapper.

#ifndef REBASIN_ZOO_NAMES_H_
#define REBASIN_ZOO_NAMES_H_

#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"

namespace rebasin::zoo {

// The graph with its weights called as in the checkpoint: if all names there
// start with what wrappers leave ("module.", "_orig_mod.", "model.") and none
// is a name of the graph, the graph's get the prefix that makes them fit.
Graph FitNames(const Graph& graph, const Checkpoint& weights);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_NAMES_H_
