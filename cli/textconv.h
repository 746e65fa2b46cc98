// A model as text, for `git diff`.

#ifndef REBASIN_CLI_TEXTCONV_H_
#define REBASIN_CLI_TEXTCONV_H_

#include <string>

#include "cli/context.h"

namespace rebasin::cli {

// Prints a line for each tensor, with its numbers and its digest, in the order
// of names and without columns, so that lines of tensors that did not change
// stay as they are. A file that is no model gets a few lines that say so, since
// git gives up a whole `git log -p` where one file cannot be converted. Throws
// Error(kIo) if the file cannot be read.
int PrintForDiff(const std::string& file, const Context& context);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_TEXTCONV_H_
