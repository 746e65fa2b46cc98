// How the structure of models is found: their own graph, a graph that is
// given, a built-in architecture, or a spec.

#ifndef REBASIN_MODEL_STRUCTURE_H_
#define REBASIN_MODEL_STRUCTURE_H_

#include <span>
#include <vector>

#include "model/files.h"
#include "rebasin/model.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// The structure that the models share, checked to fit them. Tables that all of
// them share are held if the graph is an exported one. Requires models. Throws
// what OpenModels throws.
Structure FindStructure(std::span<const FileWithGraph> models,
                        const ModelOptions& options, const Run& run);

// What `options` say of tensors that a structure does not know.
CoverageOptions CoverageOf(const StructureOptions& options);

// Whether a name with these options is that of a graph file: one with a dot or
// a slash, be there such a file or not. Architectures have neither before their
// options.
bool NamesGraphFile(const std::string& text);

}  // namespace rebasin

#endif  // REBASIN_MODEL_STRUCTURE_H_
