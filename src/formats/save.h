// The first and last steps of writing a checkpoint to a file.

#ifndef REBASIN_FORMATS_SAVE_H_
#define REBASIN_FORMATS_SAVE_H_

#include "io/atomic_file.h"
#include "rebasin/checkpoint.h"

namespace rebasin {

// Options for the files of a checkpoint with this many bytes. Files from one
// call, and copies of the options, share their progress.
AtomicFileOptions FileOptionsFor(const WriteOptions& options, const Run& run,
                                 int64_t bytes);

// Publishes the file, after checking that `checkpoint`, whose tensors it
// contains, has not changed, and that the file can be read back with the same
// content.
void PublishChecked(AtomicFile& file, const Checkpoint& checkpoint,
                    const WriteOptions& options);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_SAVE_H_
