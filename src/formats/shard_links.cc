#include <system_error>

#include "formats/shard_index.h"
#include "io/system.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

fs::path FolderOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// The folder that a symbolic link points to (one step), without links in it.
// Empty if `link` is not a link.
fs::path LinkedFolder(const fs::path& link) {
  std::error_code error;
  const fs::path to = fs::read_symlink(link, error);
  if (error) return {};
  return fs::weakly_canonical(FolderOf(FolderOf(link) / to), error);
}

bool IsBeneath(const fs::path& path, const fs::path& folder) {
  const auto relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

// The blobs folder of the cache's snapshot that contains `index`, if `index` is
// a link into it. Only the first step counts, because in newer caches blobs are
// links into another store.
fs::path BlobsOfCache(const fs::path& index) {
  std::error_code error;
  const fs::path blobs = LinkedFolder(index);
  if (blobs.filename() != "blobs") return {};
  const fs::path snapshot = fs::canonical(FolderOf(index), error);
  const fs::path snapshots = blobs.parent_path() / "snapshots";
  return !error && IsBeneath(snapshot, snapshots) ? blobs : fs::path();
}

}  // namespace

void CheckShardLink(const fs::path& index, const fs::path& shard) {
  std::error_code error;
  if (!fs::is_symlink(shard, error)) return;
  const fs::path real = fs::canonical(shard, error);
  if (error) ThrowIo("follow the link", shard, error.value());
  const fs::path folder = fs::canonical(FolderOf(index), error);
  if (!error && IsBeneath(real, folder)) return;
  const fs::path blobs = BlobsOfCache(index);
  if (!blobs.empty() && LinkedFolder(shard) == blobs) return;
  throw Error(ErrorCode::kBadInput,
              "shard " + Quoted(shard.native()) +
                  " is a symbolic link out of its folder, to " +
                  Quoted(real.native()),
              "use --follow-symlinks if you trust the model");
}

}  // namespace rebasin
