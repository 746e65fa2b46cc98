// A mutator for safetensors files.

#ifndef REBASIN_FUZZ_MUTATE_SAFETENSORS_H_
#define REBASIN_FUZZ_MUTATE_SAFETENSORS_H_

#include <string>
#include <string_view>

#include "base/random.h"

namespace rebasin {

// Changes one thing in the header: a type, a size, an offset, a name, a field,
// or how many tensors there are. The length in front is right, and mostly the
// offsets and the data are made to fit again. Empty if the header is no JSON.
std::string MutateSafetensors(std::string_view input, Random& random);

}  // namespace rebasin

#endif  // REBASIN_FUZZ_MUTATE_SAFETENSORS_H_
