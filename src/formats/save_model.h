// Writing a checkpoint in any format of a table: whether that can be done, and
// doing it.

#ifndef REBASIN_FORMATS_SAVE_MODEL_H_
#define REBASIN_FORMATS_SAVE_MODEL_H_

#include <filesystem>

#include "formats/formats.h"
#include "rebasin/checkpoint.h"

namespace rebasin {

// Throws unless a checkpoint like this one can be written in a format of the
// table: the format, the target, the folder, the space. Leaves nothing behind.
void CheckOutput(const FormatTable& formats, const Format& format,
                 const OutputFile& output, const Checkpoint& checkpoint);

// Complete or not at all. Warns of what the format cannot hold.
void WriteOutput(const FormatTable& formats, const Format& format,
                 const OutputFile& output, const Checkpoint& checkpoint,
                 const Run& run);

// Whether there is a file that holds text, other than the index of a sharded
// set: perhaps a specification or an alignment, which no model should replace.
bool IsTextFile(const std::filesystem::path& path);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_SAVE_MODEL_H_
