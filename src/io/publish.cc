#include "io/publish.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>

#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

// Takes away what is at the head's place. Brings it back at the end, unless it
// was dropped.
class OldHead {
 public:
  explicit OldHead(const fs::path& head) : head_(head), aside_(head) {
    close(aside_.TakeDescriptor());
    if (rename(head.c_str(), aside_.path().c_str()) == 0) return;
    if (errno != ENOENT) ThrowIo("replace", head, errno);
    dropped_ = true;  // there is none
  }
  ~OldHead() {
    if (dropped_) return;
    // Better an odd name than no file.
    if (rename(aside_.path().c_str(), head_.c_str()) != 0) aside_.Keep();
  }
  OldHead(const OldHead&) = delete;
  OldHead& operator=(const OldHead&) = delete;

  void Drop() { dropped_ = true; }

 private:
  const fs::path& head_;
  TemporaryFile aside_;  // empty until the old head takes its name
  bool dropped_ = false;
};

using Files = std::span<const std::unique_ptr<AtomicFile>>;

// False if something that was there before could not be brought back.
bool Withdraw(Files published) {
  bool complete = true;
  for (const auto& file : published) complete &= file->Withdraw();
  return complete;
}

}  // namespace

void PublishAlone(AtomicFile& file, bool sync) {
  file.Publish();
  if (!sync || file.is_device()) return;
  SyncFolder(file.target().parent_path(), System::Default());
}

void PublishTogether(Files files, AtomicFile& head, bool sync) {
  std::optional<OldHead> old;
  if (head.replaces()) old.emplace(head.target());
  const auto drop_old = [&] {
    if (old) old->Drop();
  };
  size_t published = 0;
  try {
    for (; published < files.size(); ++published) {
      files[published]->PublishForNow();
    }
    if (sync) SyncFolder(head.target().parent_path(), System::Default());
    head.Publish();
  } catch (...) {
    // An old head must not lead to what is gone.
    if (!Withdraw(files.first(published))) drop_old();
    throw;
  }
  drop_old();
  for (const auto& file : files) file->Settle();
  if (sync) SyncFolder(head.target().parent_path(), System::Default());
}

}  // namespace rebasin
