// Compares arrays element by element.

#ifndef REBASIN_GRAPH_SAME_ARRAY_H_
#define REBASIN_GRAPH_SAME_ARRAY_H_

#include <cstdint>
#include <string>

#include "rebasin/graph.h"

namespace rebasin {

// Whether kind, shape and all elements are equal. NaN equals NaN, and 0 equals
// -0.
bool SameArray(const Array& a, const Array& b);

// A hash that is equal for arrays that are the same by SameArray.
uint64_t ArrayHash(const Array& array);

// The array for display: "[2, 3] 0.5, 1, ...".
std::string ArrayText(const Array& array);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_SAME_ARRAY_H_
