#include "io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cassert>
#include <cerrno>

#include "base/beside.h"
#include "io/publish.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

// Small pieces are buffered up to this size; larger ones are written directly.
constexpr size_t kBufferBytes = size_t{1} << 20;

[[noreturn]] void ThrowExists(const fs::path& target) {
  throw Error(ErrorCode::kUsage, Quoted(target.native()) + " already exists",
              "use --force to replace it");
}

FileDescriptor OpenDevice(const fs::path& path) {
  FileDescriptor file(OpenFile(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) ThrowIo("write", path, errno);
  return file;
}

}  // namespace

bool CheckTarget(const fs::path& target, bool force) {
  struct stat link, status;
  if (target.empty() || !target.has_filename()) {
    throw Error(ErrorCode::kIo, "cannot write " + Quoted(target.native()) +
                                    ": it names no file");
  }
  if (lstat(target.c_str(), &link) != 0) return false;
  const bool dangling = stat(target.c_str(), &status) != 0;
  if (!dangling && S_ISCHR(status.st_mode)) return true;
  const bool replaceable =
      S_ISREG(link.st_mode) ||
      (S_ISLNK(link.st_mode) &&
       (dangling || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)));
  if (!replaceable) {
    throw Error(ErrorCode::kIo, "cannot write " + Quoted(target.native()) +
                                    ": it is " + KindOfFile(status));
  }
  if (!force) ThrowExists(target);
  return false;
}

void SyncFolder(const fs::path& folder, const System& system) {
  const fs::path path = folder.empty() ? fs::path(".") : folder;
  const FileDescriptor fd(OpenFile(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A folder may be writable without being readable. The rename has succeeded
  // then, and only its durability depends on the file system.
  if (!fd.valid() && errno == EACCES) return;
  if (!fd.valid()) ThrowIo("open", path, errno);
  // Some network file systems cannot sync folders and return EINVAL.
  if (system.Sync(fd.get()) != 0 && errno != EINVAL) {
    ThrowIo("sync", path, errno);
  }
}

AtomicFile::AtomicFile(const fs::path& target, const AtomicFileOptions& options)
    : target_(AbsolutePath(target)), options_(options) {
  if (CheckTarget(target, options.force)) {
    file_ = OpenDevice(target_);
    return;
  }
  temporary_ = std::make_unique<TemporaryFile>(target_);
  file_ = FileDescriptor(temporary_->TakeDescriptor());
}

void AtomicFile::Reserve(int64_t bytes) {
  if (is_device() || bytes <= 0) return;
  // Besides the early error, this speeds up writing with fsync (about twice as
  // fast on ext4 with 2 GB).
  const int result = Uninterrupted(
      [&] { return fallocate(file_.get(), FALLOC_FL_KEEP_SIZE, 0, bytes); });
  if (result == 0) return;
  if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) {
    ThrowIo("reserve " + std::to_string(bytes) + " bytes for", target_, errno);
  }
}

void AtomicFile::Write(std::span<const std::byte> bytes) {
  written_ += static_cast<int64_t>(bytes.size());
  if (buffer_.size() + bytes.size() > kBufferBytes) Flush();
  if (bytes.size() >= kBufferBytes) return WriteThrough(bytes);
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void AtomicFile::Flush() {
  WriteThrough(buffer_);
  buffer_.clear();
}

void AtomicFile::WriteThrough(std::span<const std::byte> bytes) {
  constexpr auto kPiece = static_cast<size_t>(WriteBack::kPiece);
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), kPiece));
    WriteFully(*options_.system, file_.get(), piece, target_);
    bytes = bytes.subspan(piece.size());
    passed_ += static_cast<int64_t>(piece.size());
    if (options_.wrote) options_.wrote(static_cast<int64_t>(piece.size()));
    if (!syncs() || passed_ < WriteBack::kPiece) continue;
    if (!write_back_) write_back_.emplace(file_.get());
    write_back_->Reached(passed_);
  }
}

void AtomicFile::Finish(const std::function<void()>& check) {
  assert(file_.valid());
  Flush();
  buffer_.shrink_to_fit();
  write_back_.reset();
  int error = 0;
  // Called once: after a failed fsync the kernel may have dropped the dirty
  // pages, and a second call would report success although data is lost.
  const auto sync = [&] {
    if (!syncs()) return;
    if (options_.system->Sync(file_.get()) != 0) error = errno;
  };
  if (check && !is_device()) {
    const Beside syncing(sync);
    check();
  } else {
    sync();
  }
  if (error != 0) ThrowIo("sync", target_, error);
  file_.Close();
}

const fs::path& AtomicFile::written_path() const {
  return is_device() ? target_ : temporary_->path();
}

void AtomicFile::Publish() {
  assert(!file_.valid());
  if (is_device()) return;
  MoveIn();
  temporary_->Keep();
}

void AtomicFile::MoveIn() {
  if (options_.system->Rename(temporary_->path().c_str(), target_.c_str(),
                              options_.force) != 0) {
    ThrowNotRenamed();
  }
}

void AtomicFile::ThrowNotRenamed() const {
  if (errno == EEXIST) ThrowExists(target_);
  ThrowIo("rename the finished file to", target_, errno);
}

void AtomicFile::PublishTentatively() {
  assert(!file_.valid() && !is_device());
  old_ = Old::kNone;
  if (options_.force) {
    if (options_.system->Exchange(temporary_->path().c_str(),
                                  target_.c_str()) == 0) {
      old_ = Old::kIsTemporary;
      return;
    }
    const bool cannot = errno == EINVAL || errno == ENOSYS;
    if (!cannot && errno != ENOENT) ThrowNotRenamed();
    if (cannot) old_ = Old::kMayBeLost;
  }
  MoveIn();
}

bool AtomicFile::RollBack() noexcept {
  const char* const here = target_.c_str();
  const char* const away = temporary_->path().c_str();
  const bool exchanged = old_ == Old::kIsTemporary;
  const int result =
      exchanged ? options_.system->Exchange(here, away)
                : options_.system->Rename(here, away, /*replace=*/false);
  // A file with an odd name is better than no file.
  if (result != 0 && exchanged) temporary_->Keep();
  return result == 0 && old_ != Old::kMayBeLost;
}

void AtomicFile::Confirm() {
  old_ == Old::kIsTemporary ? temporary_->Remove() : temporary_->Keep();
}

void WriteWholeFile(const std::filesystem::path& target, std::string_view bytes,
                    bool force) {
  AtomicFile file(target, {.force = force});
  file.Write(std::as_bytes(std::span(bytes)));
  file.Finish();
  PublishAlone(file, /*sync=*/true);
}

}  // namespace rebasin
