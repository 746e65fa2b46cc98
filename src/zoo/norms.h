// The norm after convolutions, where an architecture leaves it to an option.

#ifndef REBASIN_ZOO_NORMS_H_
#define REBASIN_ZOO_NORMS_H_

#include <string>
#include <vector>

#include "graph/builder.h"
#include "zoo/clues.h"
#include "zoo/settings.h"

namespace rebasin::zoo {

// The options norm and groups; `words` begins with the default.
ZooOption Norm(std::vector<std::string> words);
ZooOption NormGroups();

// The norm that the options say.
ValueId Norm2d(GraphBuilder& g, const Settings& settings,
               const std::string& name, ValueId x);

// Norms by running statistics show in the names. The others all have a weight
// and a bias, and which of them it is can only be said: over the channels of
// each position, by channels, or by groups of channels, whose number divides
// the channels. `name` is the first norm, with a weight; `channels` divides the
// channels of all norms.
std::vector<Findings> NormChoices(const Clues& clues, const std::string& name,
                                  int64_t channels);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_NORMS_H_
