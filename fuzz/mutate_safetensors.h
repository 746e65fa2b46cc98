// A mutator for safetensors files.

#ifndef REBASIN_FUZZ_MUTATE_SAFETENSORS_H_
#define REBASIN_FUZZ_MUTATE_SAFETENSORS_H_

#include <string>
#include <string_view>

#include "base/random.h"

namespace rebasin {

// Changes one item of the header: a type, a size, an offset, a name, a field,
// or the number of tensors. Corrects the length in front, and mostly also
// offsets and data. Returns an empty string if the header is not JSON.
std::string MutateSafetensors(std::string_view input, Random& random);

}  // namespace rebasin

#endif  // REBASIN_FUZZ_MUTATE_SAFETENSORS_H_
