// Converts files between the form that git stores and the form that programs
// read.
//
// A merge driver receives versions of a file as git stores them: LFS pointers
// if Git LFS keeps the content, and the output of the clean filter if
// `.gitattributes` names a filter. StoredPath converts them to working-tree
// content, and the merged file back to the stored form.

#ifndef REBASIN_GIT_STORED_FILE_H_
#define REBASIN_GIT_STORED_FILE_H_

#include <filesystem>
#include <memory>
#include <string>

#include "io/temporary_files.h"

namespace rebasin {

// The readable content of a stored file: the file itself, an LFS object, or a
// temporary file that is removed with this object.
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

// The stored form of the versions of one path. The working directory must be
// the top of the work tree, where git starts its merge drivers.
class StoredPath {
 public:
  // Asks git for the filter of the path. An empty path has no filter, but LFS
  // pointers are still recognised.
  explicit StoredPath(std::string path);

  // Returns the content of one version, which messages call `origin` ("ours").
  // Fetches missing LFS objects, unless GIT_LFS_SKIP_SMUDGE is set. Throws an
  // Error with the command to run if the content is not available,
  // Error(kBadInput) if an object is damaged.
  Content Read(const std::filesystem::path& version,
               const std::string& origin) const;

  // True if a new version that replaces `version` must be written by Store.
  // Throws Error(kUnsupported) if it must and git-lfs is missing.
  bool Converts(const std::filesystem::path& version) const;

  // Creates an empty temporary file in the folder of `version`.
  static std::unique_ptr<TemporaryFile> NewFile(
      const std::filesystem::path& version);

  // Replaces `version` by `content` in the form that git stores, and adds it to
  // Git LFS if that keeps the file. Checks that the stored form gives the
  // content back; otherwise throws an Error and leaves `version` as it was.
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
  std::string filter_;  // empty if there is no configured filter
};

}  // namespace rebasin

#endif  // REBASIN_GIT_STORED_FILE_H_
