// Gives finished files their names: one file, or several that belong together.

#ifndef REBASIN_IO_PUBLISH_H_
#define REBASIN_IO_PUBLISH_H_

#include <memory>
#include <span>

#include "io/atomic_file.h"

namespace rebasin {

// Publishes a finished file (see AtomicFile). With `sync` its name is durable
// afterwards.
void PublishAlone(AtomicFile& file, bool sync);

// Publishes several finished files and then `head`, the file that refers to
// them: an index to its shards, a model to its data. A head never refers to a
// mixture of old and new files: the old head is removed first. If anything
// fails before the new head is published, all old files are restored. (If the
// file system cannot exchange two files, replaced parts and the head are lost.)
// If the process dies in between, there is no head. With `sync` the parts are
// durable before the head is published, and all files afterwards.
void PublishTogether(std::span<const std::unique_ptr<AtomicFile>> parts,
                     AtomicFile& head, bool sync);

}  // namespace rebasin

#endif  // REBASIN_IO_PUBLISH_H_
