// Files that appear complete or not at all.
//
// The data goes to a temporary file in the target's folder, is synced and
// renamed, and the folder is synced. Until Publish() the target is what it was
// before; a crash leaves at most a temporary file, which nothing ever reads.

#ifndef REBASIN_IO_ATOMIC_FILE_H_
#define REBASIN_IO_ATOMIC_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "io/file.h"
#include "io/system.h"
#include "io/temporary_files.h"
#include "io/write_back.h"

namespace rebasin {

struct AtomicFileOptions {
  bool force = false;  // replace what exists
  bool sync = true;    // fsync file and folder
  // Is told of every piece that was written how many bytes it had.
  std::function<void(int64_t)> wrote = {};
  const System* system = &System::Default();
};

// True for character devices such as /dev/null, which are written directly.
// Throws Error(kUsage) if `target` exists (a symbolic link counts, wherever it
// leads) and `force` is off, and Error(kIo) for what cannot be replaced at
// all: directories, FIFOs, sockets, block devices. With `force` a link is
// replaced itself; what it points to stays untouched.
bool CheckTarget(const std::filesystem::path& target, bool force);

// Makes the names in a folder durable after a rename.
void SyncFolder(const std::filesystem::path& folder, const System& system);

class AtomicFile {
 public:
  // Creates the temporary file, so that a folder that refuses (missing, read
  // only) is an Error(kIo) now and not after hours of work.
  explicit AtomicFile(const std::filesystem::path& target,
                      const AtomicFileOptions& options = {});

  // Claims space for the whole file where the file system can; Error(kIo) if
  // the disk, quota or file size limit is too small.
  void Reserve(int64_t bytes);

  void Write(std::span<const std::byte> bytes);
  int64_t written() const { return written_; }

  // Flushes, syncs and closes. `check` may read what was written, at
  // written_path(); it runs while the disk is at work, and what it throws is
  // thrown when that is done. Devices are not read, and not checked.
  void Finish(const std::function<void()>& check = {});
  bool is_device() const { return temporary_ == nullptr; }
  const std::filesystem::path& written_path() const;
  const std::filesystem::path& target() const { return target_; }
  bool replaces() const { return options_.force; }

  // Requires Finish(). Renames onto the target; SyncFolder is left to the
  // caller, who may publish several files.
  void Publish();

  // The same, but what was at the target is kept aside until Settle(), and
  // Withdraw() brings it back. Where the system cannot exchange two files it
  // leaves nothing there and returns false. Not for devices.
  void PublishForNow();
  bool Withdraw() noexcept;
  void Settle();

 private:
  // What became of the old file at PublishForNow().
  enum class Old { kNone, kIsTemporary, kMayBeLost };

  void MoveIn();
  [[noreturn]] void ThrowNotRenamed() const;
  void Flush();
  void WriteThrough(std::span<const std::byte> bytes);
  bool syncs() const { return options_.sync && !is_device(); }

  std::filesystem::path target_;
  AtomicFileOptions options_;
  std::unique_ptr<TemporaryFile> temporary_;  // null for devices
  Old old_ = Old::kNone;
  FileDescriptor file_;
  std::vector<std::byte> buffer_;
  int64_t written_ = 0;                  // bytes given to Write
  int64_t passed_ = 0;                   // bytes given to the system
  std::optional<WriteBack> write_back_;  // uses the file: must end before it
};

// A whole file at once: complete and durable, or not at all.
void WriteWholeFile(const std::filesystem::path& target, std::string_view bytes,
                    bool force);

}  // namespace rebasin

#endif  // REBASIN_IO_ATOMIC_FILE_H_
