// Reports on joint matching of many models, for `rebasin merge`.

#ifndef REBASIN_CLI_MERGE_MANY_H_
#define REBASIN_CLI_MERGE_MANY_H_

#include <filesystem>
#include <string>
#include <vector>

#include "cli/console.h"
#include "rebasin/merge.h"

namespace rebasin::cli {

void WarnUnlessManyConverged(const ManyResult& many, Console& console);

// The spread, and all distances of a few models or a summary for many.
std::string ManyText(const ManyResult& many);
// The value of --many.
const char* ManyMethodName(ManyMethod method);
Json ManyJson(const ManyResult& many, ManyMethod method);

// Returns FILE-1, FILE-2, ...
std::vector<std::filesystem::path> NumberedFiles(
    const std::filesystem::path& path, size_t count);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_MERGE_MANY_H_
