// The small files that Git LFS puts in the place of large ones.

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
  // Programs have changed the content on its way to the object, so that only
  // git-lfs can give it back.
  bool extended = false;
};

// Nothing if the text is no pointer at all; throws Error(kBadInput) if it
// starts like one and breaks the rules. `origin` names the file in messages.
std::optional<LfsPointer> ParseLfsPointer(std::string_view text,
                                          const std::string& origin);
std::optional<LfsPointer> ReadLfsPointer(const std::filesystem::path& file,
                                         const std::string& origin);

}  // namespace rebasin

#endif  // REBASIN_GIT_LFS_POINTER_H_
