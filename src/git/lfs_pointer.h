// The small text files by which Git LFS replaces large files.

#ifndef REBASIN_GIT_LFS_POINTER_H_
#define REBASIN_GIT_LFS_POINTER_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace rebasin {

struct LfsPointer {
  std::string oid;  // SHA-256 of the object, 64 hexadecimal digits
  int64_t size = 0;
  // The content was changed by programs on its way to the object, so only
  // git-lfs can restore it.
  bool extended = false;
};

// Returns nothing if the text is not a pointer; throws Error(kBadInput) if it
// starts like one but is invalid. `origin` names the file in messages.
std::optional<LfsPointer> ParseLfsPointer(std::string_view text,
                                          const std::string& origin);
std::optional<LfsPointer> ReadLfsPointer(const std::filesystem::path& file,
                                         const std::string& origin);

}  // namespace rebasin

#endif  // REBASIN_GIT_LFS_POINTER_H_
