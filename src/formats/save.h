// The first and the last steps of writing a checkpoint.

#ifndef REBASIN_FORMATS_SAVE_H_
#define REBASIN_FORMATS_SAVE_H_

#include "io/atomic_file.h"
#include "rebasin/checkpoint.h"

namespace rebasin {

// For the files of a checkpoint that has so many bytes. Those of one call, and
// their copies, count together.
AtomicFileOptions FileOptionsFor(const WriteOptions& options, const Run& run,
                                 int64_t bytes);

// Makes the file appear, if `checkpoint`, whose tensors were written to it, is
// still what it was, and the file, read again, holds what was written.
void PublishChecked(AtomicFile& file, const Checkpoint& checkpoint,
                    const WriteOptions& options);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_SAVE_H_
