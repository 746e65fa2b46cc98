// The exports without weights in tests/exports/graphs.

#ifndef REBASIN_TESTS_EXPORTS_STRIPPED_H_
#define REBASIN_TESTS_EXPORTS_STRIPPED_H_

#include <string>

#include "rebasin/graph.h"

namespace rebasin::testing {

// The parameters of a graph without weights are inputs; zeros make weights of
// them, and tests put other numbers in their place.
Graph ReadStripped(const std::string& name);

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_EXPORTS_STRIPPED_H_
