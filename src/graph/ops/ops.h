// All operators, one file a family. Each file has a table of rows and hands it
// over; families.cmake lists the files and writes AllOperators().

#ifndef REBASIN_GRAPH_OPS_OPS_H_
#define REBASIN_GRAPH_OPS_OPS_H_

#include <span>
#include <vector>

#include "graph/operator.h"

namespace rebasin {

std::vector<std::span<const Operator>> AllOperators();

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_OPS_H_
