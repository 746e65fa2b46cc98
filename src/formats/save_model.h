// Writes checkpoints in any format of a table, and checks in advance whether
// that is possible.

#ifndef REBASIN_FORMATS_SAVE_MODEL_H_
#define REBASIN_FORMATS_SAVE_MODEL_H_

#include <filesystem>

#include "formats/formats.h"
#include "rebasin/checkpoint.h"

namespace rebasin {

// Throws unless a checkpoint like this one can be written in the format: checks
// the format, target, folder and free space. Leaves nothing behind.
void CheckOutput(const FormatTable& formats, const Format& format,
                 const OutputFile& output, const Checkpoint& checkpoint);

// Writes the complete file or nothing. Warns about content that the format
// cannot store.
void WriteOutput(const FormatTable& formats, const Format& format,
                 const OutputFile& output, const Checkpoint& checkpoint,
                 const Run& run);

// True for an existing text file that is not the index of a sharded set: it may
// be a spec or an alignment, which a model should not overwrite.
bool IsTextFile(const std::filesystem::path& path);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_SAVE_MODEL_H_
