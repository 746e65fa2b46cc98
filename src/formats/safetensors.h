// Files of safetensors as checkpoints: single ones, and the index of a set.

#ifndef REBASIN_FORMATS_SAFETENSORS_H_
#define REBASIN_FORMATS_SAFETENSORS_H_

#include "formats/input_file.h"
#include "rebasin/checkpoint.h"

namespace rebasin {

// By its content, or, of an index, by the end of its name, ".json".
bool IsSafetensors(const InputFile& file);
Checkpoint ReadSafetensors(const InputFile& file, const OpenOptions& options,
                           const Run& run);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_SAFETENSORS_H_
