// Finished files get their names: one, or several that belong together.

#ifndef REBASIN_IO_PUBLISH_H_
#define REBASIN_IO_PUBLISH_H_

#include <memory>
#include <span>

#include "io/atomic_file.h"

namespace rebasin {

// Publishes a finished file (see AtomicFile). With `sync` its name is durable
// when this returns.
void PublishAlone(AtomicFile& file, bool sync);

// Publishes several finished files and then `head`, which leads to
// them: an index to its shards, a model to its data. No head ever leads to a
// mixture: an old one is taken away first. If anything fails before the new one
// is there, everything is as it was (where the file system cannot exchange two
// files: parts that were replaced are gone, and so is the head). A process that
// dies in between leaves no head. With `sync` the parts are durable before the
// head is, and both when this returns.
void PublishTogether(std::span<const std::unique_ptr<AtomicFile>> parts,
                     AtomicFile& head, bool sync);

}  // namespace rebasin

#endif  // REBASIN_IO_PUBLISH_H_
