// The norm after convolutions, for architectures with an option for it.

#ifndef REBASIN_ZOO_NORMS_H_
#define REBASIN_ZOO_NORMS_H_

#include <string>
#include <vector>

#include "graph/builder.h"
#include "zoo/clues.h"
#include "zoo/settings.h"

namespace rebasin::zoo {

// The options norm and groups; the first of `words` is the default.
ZooOption Norm(std::vector<std::string> words);
ZooOption NormGroups();

// Adds the norm of the options.
ValueId Norm2d(GraphBuilder& g, const Settings& settings,
               const std::string& name, ValueId x);

// Returns the norms that names leave open. Running statistics show in the
// names. The other norms all have a weight and a bias, so it must be specified
// whether they are over the channels of each position, over single channels, or
// over groups, whose number divides the channels. `name` is the first norm,
// with a weight; `channels` divides the channels of all norms.
std::vector<Findings> NormChoices(const Clues& clues, const std::string& name,
                                  int64_t channels);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_NORMS_H_
