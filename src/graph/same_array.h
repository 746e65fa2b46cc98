// Arrays compared number by number.

#ifndef REBASIN_GRAPH_SAME_ARRAY_H_
#define REBASIN_GRAPH_SAME_ARRAY_H_

#include <cstdint>
#include <string>

#include "rebasin/graph.h"

namespace rebasin {

// Kind, shape and all numbers; NaN is the same as NaN, and 0 as -0.
bool SameArray(const Array& a, const Array& b);

// The same for arrays that SameArray calls the same.
uint64_t ArrayHash(const Array& array);

// For people: "[2, 3] 0.5, 1, ...".
std::string ArrayText(const Array& array);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_SAME_ARRAY_H_
