// Opening the models that the arguments name.

#ifndef REBASIN_CLI_MODELS_H_
#define REBASIN_CLI_MODELS_H_

#include <string>
#include <vector>

#include "cli/console.h"
#include "rebasin/checkpoint.h"

namespace rebasin::cli {

// A checkpoint, or the weights of an .onnx file, told apart by content.
// `dtype` names the element type to convert to; empty: none. Warns if anything
// was converted.
Checkpoint OpenModel(const std::string& path, const Context& context,
                     Console& console, const std::string& dtype = "");

// Throws Error(kMismatch) that names the file if there are none.
void RequireTensors(const Checkpoint& model, const std::string& path);

// Warns if two models hold the same content.
void WarnIfSame(const Checkpoint& a, const Checkpoint& b, int threads,
                Console& console);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_MODELS_H_
