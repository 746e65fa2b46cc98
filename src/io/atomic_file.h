// Writes files atomically: they appear complete or not at all.
//
// Data goes to a temporary file in the target's folder, which is synced and
// renamed, and the folder is synced. Until Publish() the target does not
// change. A crash leaves at most a temporary file, which is never read.

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
  // Called with the size of each piece that was written.
  std::function<void(int64_t)> wrote = {};
  const System* system = &System::Default();
};

// Checks the target. Returns true for character devices such as /dev/null,
// which are written directly. Throws Error(kUsage) if `target` exists (a
// symbolic link counts, wherever it points) and `force` is false, Error(kIo)
// for targets that cannot be replaced: directories, FIFOs, sockets, block
// devices. With `force` a link is replaced, and its target does not change.
bool CheckTarget(const std::filesystem::path& target, bool force);

// Makes the names in a folder durable after renaming.
void SyncFolder(const std::filesystem::path& folder, const System& system);

class AtomicFile {
 public:
  // Creates the temporary file. A folder that is missing or read-only is
  // reported here (Error(kIo)), not after hours of work.
  explicit AtomicFile(const std::filesystem::path& target,
                      const AtomicFileOptions& options = {});

  // Reserves space for the whole file if the file system supports it. Throws
  // Error(kIo) if the disk, quota or file size limit is too small.
  void Reserve(int64_t bytes);

  void Write(std::span<const std::byte> bytes);
  int64_t written() const { return written_; }

  // Flushes, syncs and closes. `check` may read what was written at
  // written_path(); it runs while the disk is busy, and its exception is
  // rethrown afterwards. Devices are not checked.
  void Finish(const std::function<void()>& check = {});
  bool is_device() const { return temporary_ == nullptr; }
  const std::filesystem::path& written_path() const;
  const std::filesystem::path& target() const { return target_; }
  bool replaces() const { return options_.force; }

  // Renames the file to the target. Requires Finish(). The caller calls
  // SyncFolder, since it may publish several files.
  void Publish();

  // Publishes, but keeps the old target until Confirm(); RollBack() restores
  // it. If the system cannot exchange two files, RollBack() leaves no target
  // and returns false. Not for devices.
  void PublishTentatively();
  bool RollBack() noexcept;
  void Confirm();

 private:
  // Where the old file is after PublishTentatively().
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
  int64_t written_ = 0;  // bytes given to Write
  int64_t passed_ = 0;   // bytes given to the system
  // uses the file: must be destroyed before it
  std::optional<WriteBack> write_back_;
};

// Writes a whole file atomically and durably.
void WriteWholeFile(const std::filesystem::path& target, std::string_view bytes,
                    bool force);

}  // namespace rebasin

#endif  // REBASIN_IO_ATOMIC_FILE_H_
