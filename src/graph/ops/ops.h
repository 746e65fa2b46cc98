// All operators, one file for each family. Each file has a table of rows;
// families.cmake lists the files and generates AllOperators().

#ifndef REBASIN_GRAPH_OPS_OPS_H_
#define REBASIN_GRAPH_OPS_OPS_H_

#include <span>
#include <vector>

#include "graph/operator.h"

namespace rebasin {

std::vector<std::span<const Operator>> AllOperators();

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_OPS_H_
