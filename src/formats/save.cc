#include "formats/save.h"

#include <algorithm>

#include "io/publish.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

bool SameForm(const Tensor& a, const Tensor& b) {
  return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape;
}

void CheckWritten(const AtomicFile& file, const Checkpoint& checkpoint) {
  const Checkpoint written = Checkpoint::Open(file.written_path());
  if (std::equal(written.tensors().begin(), written.tensors().end(),
                 checkpoint.tensors().begin(), checkpoint.tensors().end(),
                 SameForm)) {
    return;
  }
  throw Error(ErrorCode::kIo, Quoted(file.target().native()) +
                                  " does not hold what was written to it");
}

}  // namespace

void PublishChecked(AtomicFile& file, const Checkpoint& checkpoint,
                    const WriteOptions& options) {
  checkpoint.CheckUnchanged();
  file.Finish([&] { CheckWritten(file, checkpoint); });
  PublishAlone(file, options.sync);
}

}  // namespace rebasin
