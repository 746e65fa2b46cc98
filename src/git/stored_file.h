// Files as git stores them, and as programs read them.
//
// A merge driver gets versions of a file in the form in which git stores them:
// LFS pointers where Git LFS keeps the content, and the output of the clean
// filter where `.gitattributes` names a filter. Here they are turned into what
// the filter's user sees, and the merged file back into what git stores.

#ifndef REBASIN_GIT_STORED_FILE_H_
#define REBASIN_GIT_STORED_FILE_H_

#include <filesystem>
#include <memory>
#include <string>

#include "io/temporary_files.h"

namespace rebasin {

// The content of a stored file: the file itself, an LFS object, or a temporary
// file that is removed with this object.
class Content {
 public:
  explicit Content(std::filesystem::path path) : path_(std::move(path)) {}
  explicit Content(std::unique_ptr<TemporaryFile> file)
      : path_(file->path()), temporary_(std::move(file)) {}

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::unique_ptr<TemporaryFile> temporary_;
};

// How git stores the versions of one path. The working directory must be the
// top of the work tree, where git starts its drivers.
class StoredPath {
 public:
  // Asks git for the path's filter. An empty path has none, but LFS pointers
  // are recognised all the same.
  explicit StoredPath(std::string path);

  // The content of one version, called `origin` ("ours") in messages. Missing
  // LFS objects are fetched, unless GIT_LFS_SKIP_SMUDGE is set. Throws an Error
  // with the command to run if the content cannot be had, Error(kBadInput) if
  // an object is damaged.
  Content Read(const std::filesystem::path& version,
               const std::string& origin) const;

  // Whether a new version, in the place of `version`, must be stored by Store.
  // Throws Error(kUnsupported) if it must and git-lfs is missing.
  bool Converts(const std::filesystem::path& version) const;

  // An empty temporary file beside `version`.
  static std::unique_ptr<TemporaryFile> NewFile(
      const std::filesystem::path& version);

  // Puts `content` in the place of `version`, in the form that git stores, and
  // gives it to Git LFS where that keeps it. What was stored gives the content
  // back, or an Error is thrown and `version` stays as it was.
  void Store(const std::filesystem::path& content,
             const std::filesystem::path& version) const;

 private:
  bool UsesLfs(const std::filesystem::path& version) const;
  Content Fetch(const std::filesystem::path& version,
                const std::string& origin) const;
  Content Smudge(const std::filesystem::path& version) const;
  void StoreInLfs(const std::filesystem::path& content,
                  const std::filesystem::path& version) const;
  void StoreFiltered(const std::filesystem::path& content,
                     const std::filesystem::path& version) const;
  std::string Hint(const std::string& command) const;

  std::string path_;
  std::string filter_;  // "" if there is none, or none that is configured
};

}  // namespace rebasin

#endif  // REBASIN_GIT_STORED_FILE_H_
