// The one seam to the operating system: files are opened, renamed and removed
// in src/io and nowhere else.

#ifndef REBASIN_TESTS_ARCHITECTURE_SYSTEM_CALLS_H_
#define REBASIN_TESTS_ARCHITECTURE_SYSTEM_CALLS_H_

#include <filesystem>
#include <string>
#include <vector>

namespace rebasin {

// One line for every call about files outside of src/io.
std::vector<std::string> FindStraySystemCalls(
    const std::filesystem::path& root);

}  // namespace rebasin

#endif  // REBASIN_TESTS_ARCHITECTURE_SYSTEM_CALLS_H_
