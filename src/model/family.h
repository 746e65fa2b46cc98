// The structure of models whose config.json describes them.

#ifndef REBASIN_MODEL_FAMILY_H_
#define REBASIN_MODEL_FAMILY_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/files.h"
#include "rebasin/model.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// Returns the structure that the config.json of the models describes, and the
// tensors beside its graph. Returns nothing if the user specified another
// structure, if a model says in its metadata what it is, or if no model has a
// config.json of a known family. A model without such a file is of the same
// family as the others.
//
// Throws what ReadFamily throws, and Error(kMismatch) if the files of two
// models describe different functions.
std::optional<Structure> FindFamily(std::span<const FileWithGraph> files,
                                    const ModelOptions& options,
                                    std::vector<Companion>& companions);

// Returns the "model_type" of the models' config.json; empty if there is none.
std::string ModelTypeOf(std::span<const FileWithGraph> files,
                        const ModelOptions& options);

}  // namespace rebasin

#endif  // REBASIN_MODEL_FAMILY_H_
