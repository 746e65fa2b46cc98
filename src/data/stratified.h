// A random order of examples in which classes are mixed evenly. Examples that
// are held out and examples that are drawn come from it.

#ifndef REBASIN_DATA_STRATIFIED_H_
#define REBASIN_DATA_STRATIFIED_H_

#include <cstdint>
#include <vector>

#include "rebasin/nn/data.h"

namespace rebasin {

// Returns the rows in an order in which every prefix has each class in
// proportion to its share, as far as possible: the k-th of the n examples of a
// class is at (k + 1/2) / n of the whole. The order within a class, and of
// classes at the same position, is random. Without labels all of it is.
std::vector<int64_t> StratifiedOrder(const Dataset& data, uint64_t seed);

}  // namespace rebasin

#endif  // REBASIN_DATA_STRATIFIED_H_
