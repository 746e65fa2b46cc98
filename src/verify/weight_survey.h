// What the proof must know of a model's weights: that all of them are numbers,
// and which tensors hold nothing but positive ones.

#ifndef REBASIN_VERIFY_WEIGHT_SURVEY_H_
#define REBASIN_VERIFY_WEIGHT_SURVEY_H_

#include <set>
#include <string>

#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"

namespace rebasin {

// The names of the graph's weights whose values are all positive: variances,
// temperatures and such, which may stand where a negative number has no
// meaning. Throws Error(kBadInput) that names the tensor if a value is NaN or
// infinite. Requires that the weights fit the graph.
std::set<std::string> FindPositiveWeights(const Graph& graph,
                                          const Checkpoint& model, int threads);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_WEIGHT_SURVEY_H_
