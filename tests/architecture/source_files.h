// The files that the checks of the architecture look at.

#ifndef REBASIN_TESTS_ARCHITECTURE_SOURCE_FILES_H_
#define REBASIN_TESTS_ARCHITECTURE_SOURCE_FILES_H_

#include <filesystem>
#include <string>
#include <vector>

namespace rebasin {

// Where layers live: folders of layers, and layers that are folders of the
// project because they need more libraries than the core does.
inline const std::vector<std::string> kSourceRoots = {
    "include/rebasin", "src", "cli", "report", "nn", "lab"};

// Files below root/folder, as paths relative to `root`, in order.
std::vector<std::filesystem::path> SourceFiles(
    const std::filesystem::path& root, const std::string& folder);

// "file:line: "
std::string Place(const std::filesystem::path& file, int line);

}  // namespace rebasin

#endif  // REBASIN_TESTS_ARCHITECTURE_SOURCE_FILES_H_
