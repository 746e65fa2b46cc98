// A register of the temporary files that exist right now, so that a signal
// handler can remove them.

#ifndef REBASIN_IO_TEMPORARY_FILES_H_
#define REBASIN_IO_TEMPORARY_FILES_H_

#include <filesystem>
#include <string>

namespace rebasin {

struct TemporaryFileSlot;

// Creates a file next to `target`, empty and open for writing, under a new
// name `.NAME.rebasin-XXXXXX.tmp` (XXXXXX unpredictable), with the mode that
// the umask leaves of 0666. Never opens something that exists, be it a stale
// temporary file or a link planted by somebody. The file is registered until
// Remove() or Keep(), or the destructor, which removes it.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& target);
  ~TemporaryFile() { Remove(); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // The descriptor belongs to the caller after this.
  int TakeDescriptor();

  void Remove();  // deletes the file
  void Keep();    // it was renamed and is temporary no longer

 private:
  void Create(const std::filesystem::path& target);

  std::filesystem::path path_;
  int fd_ = -1;
  TemporaryFileSlot* slot_ = nullptr;
};

// Removes every registered file. Async-signal-safe.
void RemoveRegisteredFiles();

// Whether somebody wants the signal to do nothing: nohup does, and shells whose
// scripts run programs in the background.
bool IsIgnored(int signal);

// For programs, at start: SIGINT, SIGTERM and SIGHUP, unless they are ignored,
// remove the temporary files and exit with 128 + the signal's number. SIGBUS
// from a mapped file (truncated by somebody, or unreadable) does the same, says
// so on stderr and exits with 5, the code of I/O errors. SIGXFSZ is ignored, so
// that a file size limit is an ordinary write error.
void ExitCleanlyOnSignals();

}  // namespace rebasin

#endif  // REBASIN_IO_TEMPORARY_FILES_H_
