#include "io/publish.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>

#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

// Moves the old head aside, and restores it in the destructor unless it was
// dropped.
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
    // A file with an odd name is better than no file.
    if (rename(aside_.path().c_str(), head_.c_str()) != 0) aside_.Keep();
  }
  OldHead(const OldHead&) = delete;
  OldHead& operator=(const OldHead&) = delete;

  void Drop() { dropped_ = true; }

 private:
  const fs::path& head_;
  TemporaryFile aside_;  // empty until the old head is moved to it
  bool dropped_ = false;
};

using Files = std::span<const std::unique_ptr<AtomicFile>>;

// Returns false if an old file could not be restored.
bool RollBack(Files published) {
  bool complete = true;
  for (const auto& file : published) complete &= file->RollBack();
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
      files[published]->PublishTentatively();
    }
    if (sync) SyncFolder(head.target().parent_path(), System::Default());
    head.Publish();
  } catch (...) {
    // An old head must not refer to files that are lost.
    if (!RollBack(files.first(published))) drop_old();
    throw;
  }
  drop_old();
  for (const auto& file : files) file->Confirm();
  if (sync) SyncFolder(head.target().parent_path(), System::Default());
}

}  // namespace rebasin
