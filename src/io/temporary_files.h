// A register of the existing temporary files and folders, so that a signal
// handler can remove them.

#ifndef REBASIN_IO_TEMPORARY_FILES_H_
#define REBASIN_IO_TEMPORARY_FILES_H_

#include <filesystem>
#include <string>

namespace rebasin {

struct TemporaryFileSlot;

// Creates an empty file beside `target`, open for writing, with the new name
// `.NAME.rebasin-XXXXXX.tmp` (XXXXXX is random) and mode 0666 minus the umask.
// Never opens an existing file, such as an old temporary file or a link. The
// file is registered until Remove(), Keep(), or the destructor, which removes
// it.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& target);
  ~TemporaryFile() { Remove(); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Transfers the descriptor to the caller.
  int TakeDescriptor();

  void Remove();  // deletes the file
  void Keep();    // keeps it, after it was renamed

 private:
  void Create(const std::filesystem::path& target);

  std::filesystem::path path_;
  int fd_ = -1;
  TemporaryFileSlot* slot_ = nullptr;
};

// Creates an empty folder beside `target`, named like a temporary file. It is
// registered in the same way; its destructor removes it with all that is in it.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::filesystem::path& target);
  ~TemporaryFolder() { Remove(); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  void Remove();  // deletes the folder and its content
  void Keep();    // keeps it, after it was renamed

 private:
  std::filesystem::path path_;
  TemporaryFileSlot* slot_ = nullptr;
};

// Removes every registered file, and every registered folder that is empty
// then. Async-signal-safe.
void RemoveRegisteredFiles();

// True if the signal is ignored, as under nohup and in shell scripts that start
// programs in the background.
bool IsIgnored(int signal);

// For programs, at start. SIGINT, SIGTERM and SIGHUP, unless ignored, remove
// the temporary files and exit with 128 + the signal's number. SIGBUS from a
// mapped file that was truncated or is unreadable removes them too, reports it
// on stderr and exits with 5, the code of I/O errors. SIGXFSZ is ignored, so
// that exceeding a file size limit is an ordinary write error.
void ExitCleanlyOnSignals();

}  // namespace rebasin

#endif  // REBASIN_IO_TEMPORARY_FILES_H_
