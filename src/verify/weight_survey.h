// Scans a model's weights before a proof: all of them must be finite, and some
// tensors must remain positive.

#ifndef REBASIN_VERIFY_WEIGHT_SURVEY_H_
#define REBASIN_VERIFY_WEIGHT_SURVEY_H_

#include <set>
#include <string>

#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"

namespace rebasin {

// The names of the graph's weights whose values are all positive: variances,
// temperatures and the like, where a negative number may be invalid. Throws
// Error(kBadInput) with the name of the tensor if a value is NaN or infinite.
// Requires that the weights fit the graph.
std::set<std::string> FindPositiveWeights(const Graph& graph,
                                          const Checkpoint& model, int threads);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_WEIGHT_SURVEY_H_
