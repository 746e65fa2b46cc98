// The layers of the project and the directions in which they may know each
// other, checked over the #include lines of a source tree.

#ifndef REBASIN_TESTS_ARCHITECTURE_LAYERS_H_
#define REBASIN_TESTS_ARCHITECTURE_LAYERS_H_

#include <filesystem>
#include <string>
#include <vector>

namespace rebasin {

// Each of these returns one line for every violation: file, line and reason.
// `root` is the root of a source tree.

// A file includes only its own layer and the layers below it.
std::vector<std::string> FindBrokenArrows(const std::filesystem::path& root);

// Public headers include the standard library and each other, nothing else.
std::vector<std::string> FindForeignIncludes(const std::filesystem::path& root);

// Every header has a guard named after its path, and closes with its name.
std::vector<std::string> FindWrongGuards(const std::filesystem::path& root);

// One line for each type that headers define twice in one namespace: programs
// that hold both mix them up without a word from the linker.
std::vector<std::string> FindDoubleTypes(const std::filesystem::path& root);

}  // namespace rebasin

#endif  // REBASIN_TESTS_ARCHITECTURE_LAYERS_H_
