// The objects of Git LFS, as they lie in a repository, and the program git-lfs.

#ifndef REBASIN_GIT_LFS_STORE_H_
#define REBASIN_GIT_LFS_STORE_H_

#include <filesystem>
#include <string>

#include "git/lfs_pointer.h"

namespace rebasin {

// Whether `git lfs` can be run.
bool HasGitLfs();

// Where the object would lie in the repository around the working directory, by
// lfs.storage or git's default. Empty outside of repositories.
std::filesystem::path LfsObjectPath(const LfsPointer& pointer);

// Throws Error(kBadInput) unless the file has the size and the digest that the
// pointer tells. Reads all of it.
void CheckLfsObject(const std::filesystem::path& file,
                    const LfsPointer& pointer, const std::string& origin);

}  // namespace rebasin

#endif  // REBASIN_GIT_LFS_STORE_H_
