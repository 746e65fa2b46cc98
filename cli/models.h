// Opening what the arguments name: models and symmetries.

#ifndef REBASIN_CLI_MODELS_H_
#define REBASIN_CLI_MODELS_H_

#include <memory>
#include <string>
#include <vector>

#include "cli/console.h"
#include "rebasin/checkpoint.h"
#include "rebasin/symmetry.h"

namespace rebasin::cli {

// `dtype` names the element type to convert to; empty: none. Warns if anything
// was converted.
Checkpoint OpenModel(const std::string& path, const Context& context,
                     Console& console, const std::string& dtype = "");

// The symmetry that `text` stands for, given the model it is for: a spec file,
// or the name of an architecture ("mlp"). Here the names of further
// architectures, and graphs, will be understood.
Symmetry ResolveSymmetry(const std::string& text, const Checkpoint& model);

// ResolveSymmetry, and the check that the model fits.
std::shared_ptr<const Symmetry> SymmetryFor(const std::string& text,
                                            const Checkpoint& model,
                                            bool allow_uncovered,
                                            Console& console);

// Warns if two models hold the same content.
void WarnIfSame(const Checkpoint& a, const Checkpoint& b, int threads,
                Console& console);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_MODELS_H_
