// Whether the tensors of a header fit their types, each other and the file.

#ifndef REBASIN_FORMATS_LAYOUT_H_
#define REBASIN_FORMATS_LAYOUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "formats/safetensors_header.h"

namespace rebasin {

// `data_bytes`: how much of the file follows the header. Sorts `tensors` by
// name. Broken rules throw Error(kBadInput); a type that is not known throws
// Error(kUnsupported), but only if nothing else is wrong.
void CheckLayout(std::vector<TensorEntry>& tensors, int64_t data_bytes,
                 const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_LAYOUT_H_
