// Checks the tensors of a header against their types, each other and the file.

#ifndef REBASIN_FORMATS_LAYOUT_H_
#define REBASIN_FORMATS_LAYOUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "formats/safetensors_header.h"

namespace rebasin {

// Sorts `tensors` by name. `data_bytes` is the size of the file after the
// header. Throws Error(kBadInput) for broken rules, and Error(kUnsupported) for
// an unknown type if there is no other problem.
void CheckLayout(std::vector<TensorEntry>& tensors, int64_t data_bytes,
                 const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_LAYOUT_H_
