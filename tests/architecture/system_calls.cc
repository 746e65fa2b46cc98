#include "architecture/system_calls.h"

#include <fstream>
#include <regex>

#include "architecture/source_files.h"

namespace rebasin {
namespace {

namespace fs = std::filesystem;

// The name may stand after ::, but not after a dot or an arrow: those are
// functions of our own.
const std::regex kCall(
    "(^|[^A-Za-z0-9_.>])(open|openat|fopen|creat|mmap|munmap|rename|renameat2|"
    "fsync|fdatasync|unlink|unlinkat|ftruncate|fallocate|fork|vfork|execvp|"
    "posix_spawn|posix_spawnp|popen)[(]");

// Without the comment at its end.
std::string CodeOf(const std::string& line) {
  return line.substr(0, line.find("//"));
}

void CheckFile(const fs::path& root, const fs::path& file,
               std::vector<std::string>& strays) {
  std::ifstream in(root / file);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const std::string code = CodeOf(line);
    std::smatch found;
    if (!std::regex_search(code, found, kCall)) continue;
    strays.push_back(Place(file, number) + "calls " + found.str(2) +
                     " outside of src/io");
  }
}

}  // namespace

std::vector<std::string> FindStraySystemCalls(const fs::path& root) {
  std::vector<std::string> strays;
  for (const std::string& folder : kSourceRoots) {
    for (const fs::path& file : SourceFiles(root, folder)) {
      if (!file.generic_string().starts_with("src/io/")) {
        CheckFile(root, file, strays);
      }
    }
  }
  return strays;
}

}  // namespace rebasin
