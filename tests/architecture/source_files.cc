#include "architecture/source_files.h"

#include <algorithm>

namespace rebasin {

namespace fs = std::filesystem;

std::vector<fs::path> SourceFiles(const fs::path& root,
                                  const std::string& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(root / folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    const auto extension = entry.path().extension();
    if (extension != ".h" && extension != ".cc") continue;
    files.push_back(entry.path().lexically_relative(root));
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string Place(const fs::path& file, int line) {
  return file.generic_string() + ":" + std::to_string(line) + ": ";
}

}  // namespace rebasin
