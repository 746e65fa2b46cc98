// Opens safetensors files as checkpoints: single files, and the index of a set.

#ifndef REBASIN_FORMATS_SAFETENSORS_H_
#define REBASIN_FORMATS_SAFETENSORS_H_

#include "formats/input_file.h"
#include "rebasin/checkpoint.h"

namespace rebasin {

// Recognises a file by content, and an index by its name, ".json".
bool IsSafetensors(const InputFile& file);
Checkpoint ReadSafetensors(const InputFile& file, const OpenOptions& options,
                           const Run& run);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_SAFETENSORS_H_
