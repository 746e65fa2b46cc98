// The report page of a merge.

#ifndef REBASIN_CLI_MERGE_PAGE_H_
#define REBASIN_CLI_MERGE_PAGE_H_

#include <string>

#include "cli/networks.h"

namespace rebasin::cli {

void WriteMergePage(const MergePage& page, const std::string& path,
                    const Context& context);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_MERGE_PAGE_H_
