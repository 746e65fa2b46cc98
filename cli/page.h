// Writes results as a page (--report).

#ifndef REBASIN_CLI_PAGE_H_
#define REBASIN_CLI_PAGE_H_

#include <string>

#include "cli/context.h"
#include "report/document.h"

namespace rebasin::cli {

// Adds the facts of the run. Writes nothing if `path` is empty.
void WritePage(Document page, const std::string& path, const Context& context);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_PAGE_H_
