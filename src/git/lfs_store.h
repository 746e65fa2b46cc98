// The objects of Git LFS in a repository, and the program git-lfs.

#ifndef REBASIN_GIT_LFS_STORE_H_
#define REBASIN_GIT_LFS_STORE_H_

#include <filesystem>
#include <string>

#include "git/lfs_pointer.h"

namespace rebasin {

// True if `git lfs` can be run.
bool HasGitLfs();

// The path of the object in the repository of the working directory, from
// lfs.storage or git's default; it need not exist. Empty outside of
// repositories.
std::filesystem::path LfsObjectPath(const LfsPointer& pointer);

// Throws Error(kBadInput) unless the file has the size and digest of the
// pointer. Reads the whole file.
void CheckLfsObject(const std::filesystem::path& file,
                    const LfsPointer& pointer, const std::string& origin);

}  // namespace rebasin

#endif  // REBASIN_GIT_LFS_STORE_H_
