// Built-in architectures for the data at hand.

#ifndef REBASIN_CLI_FIT_MODEL_H_
#define REBASIN_CLI_FIT_MODEL_H_

#include <string>

#include "rebasin/nn/data.h"

namespace rebasin::cli {

// The architecture with what it leaves open (numbers of inputs and classes, the
// size of images) set as the data has it: "mlp:width=64" for the digits
// becomes "mlp:width=64,in=64,out=10". What is no built-in architecture stays
// as it is.
std::string FitToData(const std::string& model, const Dataset& data);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_FIT_MODEL_H_
