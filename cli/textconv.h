// Prints a model as text for `git diff`.

#ifndef REBASIN_CLI_TEXTCONV_H_
#define REBASIN_CLI_TEXTCONV_H_

#include <string>

#include "cli/context.h"

namespace rebasin::cli {

// Prints a line for each tensor with its statistics and digest, in order of
// name and without columns, so that lines of unchanged tensors are identical.
// For a file that is not a model, prints a few lines that say so, because git
// aborts a whole `git log -p` if one file cannot be converted. Throws
// Error(kIo) if the file cannot be read.
int PrintForDiff(const std::string& file, const Context& context);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_TEXTCONV_H_
