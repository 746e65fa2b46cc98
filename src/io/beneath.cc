// Opens files named by other files, and keeps the names inside a folder.

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "io/file.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

FileDescriptor OpenFolder(const fs::path& folder) {
  const fs::path path = folder.empty() ? fs::path(".") : folder;
  FileDescriptor fd(OpenFile(path, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) ThrowIo("open", path, errno);
  return fd;
}

// For kernels before 5.6 and sandboxes without openat2: opens one name after
// another and refuses links.
FileDescriptor OpenStepByStep(FileDescriptor at, const fs::path& name) {
  for (auto part = name.begin(); part != name.end() && at.valid(); ++part) {
    const bool last = std::next(part) == name.end();
    const int flags = O_CLOEXEC | O_NOFOLLOW |
                      (last ? O_RDONLY | O_NONBLOCK : O_PATH | O_DIRECTORY);
    at = FileDescriptor(
        Uninterrupted([&] { return openat(at.get(), part->c_str(), flags); }));
  }
  return at;
}

FileDescriptor OpenWithin(const System& system, FileDescriptor folder,
                          const fs::path& name) {
  FileDescriptor file(system.OpenBeneath(folder.get(), name.c_str()));
  if (file.valid() || (errno != ENOSYS && errno != EPERM)) return file;
  return OpenStepByStep(std::move(folder), name);
}

[[noreturn]] void Refuse(const fs::path& path, const std::string& why) {
  throw Error(ErrorCode::kBadInput,
              "will not read " + Quoted(path.native()) + ": it " + why);
}

// Checked without following links, so that the last name is not a link; opening
// checks again.
void RefuseSpecial(const FileDescriptor& folder, const fs::path& name,
                   const fs::path& path) {
  struct stat status;
  if (fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return;  // opening reports the error
  }
  if (S_ISLNK(status.st_mode)) Refuse(path, "is a symbolic link");
  RequireRegular(status, path);
}

}  // namespace

OpenedFile OpenBeneath(const fs::path& folder, const fs::path& name,
                       const System& system) {
  const fs::path path = folder / name;
  const bool climbs = std::find(name.begin(), name.end(), "..") != name.end();
  if (name.empty() || name.is_absolute() || climbs || !name.has_filename()) {
    Refuse(name, "must be a path beneath the folder, without ..");
  }
  FileDescriptor at = OpenFolder(folder);
  RefuseSpecial(at, name, path);
  OpenedFile file;
  file.descriptor = OpenWithin(system, std::move(at), name);
  if (!file.descriptor.valid()) {
    if (errno == ELOOP) Refuse(path, "lies behind a symbolic link");
    if (errno == EXDEV) Refuse(path, "leaves its folder");
    ThrowIo("open", path, errno);
  }
  struct stat status;
  if (fstat(file.descriptor.get(), &status) != 0) ThrowIo("open", path, errno);
  RequireRegular(status, path);
  if (status.st_nlink > 1) {
    Refuse(path, "has " + std::to_string(status.st_nlink) +
                     " names (hard links), so it may belong elsewhere");
  }
  file.identity = IdentityOf(status);
  return file;
}

}  // namespace rebasin
