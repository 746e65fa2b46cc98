#include "formats/save.h"

#include <algorithm>

#include "io/publish.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

bool SameForm(const Tensor& a, const Tensor& b) {
  return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape;
}

}  // namespace

void PublishChecked(AtomicFile& file, const Checkpoint& checkpoint,
                    const WriteOptions& options) {
  checkpoint.CheckUnchanged();
  file.Finish();
  if (!file.is_device()) {
    const Checkpoint written = Checkpoint::Open(file.written_path());
    if (!std::equal(written.tensors().begin(), written.tensors().end(),
                    checkpoint.tensors().begin(), checkpoint.tensors().end(),
                    SameForm)) {
      throw Error(ErrorCode::kIo, Quoted(file.target().native()) +
                                      " does not hold what was written to it");
    }
  }
  PublishAlone(file, options.sync);
}

}  // namespace rebasin
