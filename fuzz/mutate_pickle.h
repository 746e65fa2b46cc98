// A mutator for pickles.

#ifndef REBASIN_FUZZ_MUTATE_PICKLE_H_
#define REBASIN_FUZZ_MUTATE_PICKLE_H_

#include <string>
#include <string_view>

#include "base/random.h"

namespace rebasin {

// Inserts, removes, repeats, swaps or replaces opcodes with their arguments, or
// inserts a sequence that belongs together (a call, a memo). `input` may be
// several pickles; bytes after the last one are kept. Returns an empty string
// if it does not start with a pickle.
std::string MutatePickle(std::string_view input, Random& random);

}  // namespace rebasin

#endif  // REBASIN_FUZZ_MUTATE_PICKLE_H_
