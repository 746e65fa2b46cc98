// A mutator for pickles.

#ifndef REBASIN_FUZZ_MUTATE_PICKLE_H_
#define REBASIN_FUZZ_MUTATE_PICKLE_H_

#include <string>
#include <string_view>

#include "base/random.h"

namespace rebasin {

// Inserts, removes, repeats, swaps or replaces opcodes with their arguments, or
// inserts a run of them that belongs together (a call, a memo). `input` may be
// several pickles; what follows the last one stays. Empty if it starts with
// none.
std::string MutatePickle(std::string_view input, Random& random);

}  // namespace rebasin

#endif  // REBASIN_FUZZ_MUTATE_PICKLE_H_
