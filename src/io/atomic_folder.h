// Writes a folder atomically: it appears complete or not at all.
//
// Files go to a temporary folder beside the target, which is renamed when all
// are there. A crash leaves at most that folder, which is never read; its name
// starts with a dot and ends in .tmp.

#ifndef REBASIN_IO_ATOMIC_FOLDER_H_
#define REBASIN_IO_ATOMIC_FOLDER_H_

#include <filesystem>
#include <memory>

#include "io/system.h"
#include "io/temporary_files.h"

namespace rebasin {

class AtomicFolder {
 public:
  // Creates the temporary folder. Throws Error(kUsage) if the target exists and
  // is not an empty folder, unless `force`: then it must be a folder that holds
  // nothing but files, among them `mark`, so that only what was written like
  // this is ever replaced. Throws Error(kIo) if it cannot be created.
  AtomicFolder(const std::filesystem::path& target, bool force,
               const std::string& mark,
               const System& system = System::Default());

  // Where the files must be written.
  const std::filesystem::path& path() const { return temporary_.path(); }
  const std::filesystem::path& target() const { return target_; }

  // Gives the folder its name; an old one is exchanged for it and removed. The
  // files must be durable already. Throws Error(kIo) if that fails; the target
  // has not changed then.
  void Publish();

 private:
  std::filesystem::path target_;
  const System& system_;
  bool replaces_ = false;
  TemporaryFolder temporary_;
};

}  // namespace rebasin

#endif  // REBASIN_IO_ATOMIC_FOLDER_H_
