// Results as a page to read (--report).

#ifndef REBASIN_CLI_PAGE_H_
#define REBASIN_CLI_PAGE_H_

#include <string>

#include "cli/context.h"
#include "report/document.h"

namespace rebasin::cli {

// Adds what was run. "": nothing is written.
void WritePage(Document page, const std::string& path, const Context& context);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_PAGE_H_
