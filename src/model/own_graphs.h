// Whether a structure that was given for models agrees with their files.

#ifndef REBASIN_MODEL_OWN_GRAPHS_H_
#define REBASIN_MODEL_OWN_GRAPHS_H_

#include <span>

#include "model/files.h"

namespace rebasin {

// Throws Error(kMismatch) if a model has a graph of its own that computes
// something else than the graph of the structure.
void CheckOwnGraphs(const Structure& structure,
                    std::span<const FileWithGraph> files);

// Throws Error(kMismatch) if a tensor that is a constant of the structure's
// graph has different numbers in two models: the models then are different
// functions, whatever their weights are.
void CheckSameConstants(const Structure& structure,
                        std::span<const FileWithGraph> files);

}  // namespace rebasin

#endif  // REBASIN_MODEL_OWN_GRAPHS_H_
