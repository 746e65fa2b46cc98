#include "io/atomic_folder.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "io/atomic_file.h"
#include "io/file.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

// "out/" and "out" are the same folder.
fs::path WithoutSlash(const fs::path& path) {
  const bool ends_with_slash = !path.has_filename() && path.has_parent_path();
  return AbsolutePath(ends_with_slash ? path.parent_path() : path);
}

bool HoldsOnlyFiles(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator files(folder, error);
  return !error && std::all_of(begin(files), end(files), [](const auto& file) {
    std::error_code ignored;
    return file.is_regular_file(ignored);
  });
}

// Returns whether there is a folder to be replaced.
bool CheckFolderTarget(const fs::path& target, bool force,
                       const std::string& mark) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(target, error))) return false;
  const bool is_folder =
      fs::is_directory(target, error) && !fs::is_symlink(target, error);
  if (is_folder && fs::is_empty(target, error)) return false;
  if (!force) {
    throw Error(ErrorCode::kUsage, Quoted(target.native()) + " exists",
                "--force replaces a model's folder");
  }
  if (is_folder && IsRegularFile(target / mark) && HoldsOnlyFiles(target)) {
    return true;
  }
  throw Error(ErrorCode::kUsage,
              Quoted(target.native()) +
                  " is not a folder that holds a model and nothing else, so it "
                  "is not replaced",
              "remove it, or choose another name");
}

}  // namespace

AtomicFolder::AtomicFolder(const fs::path& target, bool force,
                           const std::string& mark, const System& system)
    : target_(WithoutSlash(target)),
      system_(system),
      replaces_(CheckFolderTarget(target_, force, mark)),
      temporary_(target_) {}

void AtomicFolder::Publish() {
  const char* from = path().c_str();
  const char* to = target_.c_str();
  SyncFolder(path(), system_);
  const int result = replaces_ ? system_.Exchange(from, to)
                               : system_.Rename(from, to, /*replace=*/true);
  if (result != 0) ThrowIo("rename the finished folder to", target_, errno);
  // What has the temporary name now is the old folder, if there was one.
  if (replaces_) {
    temporary_.Remove();
  } else {
    temporary_.Keep();
  }
  SyncFolder(target_.parent_path(), system_);
}

}  // namespace rebasin
