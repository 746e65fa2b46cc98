// Finds the structure of models: from their own graph, a given graph, a
// built-in architecture, or a spec.

#ifndef REBASIN_MODEL_STRUCTURE_H_
#define REBASIN_MODEL_STRUCTURE_H_

#include <span>
#include <vector>

#include "model/files.h"
#include "rebasin/model.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// Returns the structure that the models share, after checking that it fits
// them. Tables that are equal in all models become constants if the graph is an
// exported one. Requires at least one model. Throws what OpenModels throws.
Structure FindStructure(std::span<const FileWithGraph> models,
                        const ModelOptions& options, const Run& run);

// Which undescribed tensors `options` accept.
CoverageOptions CoverageOf(const StructureOptions& options);

// True if a text given as --model means a graph file: it contains a dot or a
// slash, whether or not the file exists. Names of architectures contain neither
// before their options.
bool NamesGraphFile(const std::string& text);

}  // namespace rebasin

#endif  // REBASIN_MODEL_STRUCTURE_H_
