#include "formats/save.h"

#include <algorithm>
#include <memory>

#include "io/publish.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

bool SameForm(const Tensor& a, const Tensor& b) {
  return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape;
}

void CheckWritten(const AtomicFile& file, const Checkpoint& checkpoint) {
  const Checkpoint written =
      Checkpoint::Open(file.written_path(), {.keep_prefixes = true});
  if (std::equal(written.tensors().begin(), written.tensors().end(),
                 checkpoint.tensors().begin(), checkpoint.tensors().end(),
                 SameForm)) {
    return;
  }
  throw Error(ErrorCode::kIo, Quoted(file.target().native()) +
                                  " does not hold what was written to it");
}

}  // namespace

AtomicFileOptions FileOptionsFor(const WriteOptions& options, const Run& run,
                                 int64_t bytes) {
  AtomicFileOptions file{.force = options.force, .sync = options.sync};
  if (!run.progress && !run.stop) return file;
  file.wrote = [run, bytes, done = std::make_shared<int64_t>(0)](int64_t more) {
    // `bytes` does not include headers and padding.
    *done = std::min(*done + more, bytes);
    run.Report("writing", *done, bytes);
  };
  return file;
}

void PublishChecked(AtomicFile& file, const Checkpoint& checkpoint,
                    const WriteOptions& options) {
  checkpoint.CheckUnchanged();
  file.Finish([&] { CheckWritten(file, checkpoint); });
  PublishAlone(file, options.sync);
}

}  // namespace rebasin
