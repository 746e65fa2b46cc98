#include "graph/ops/ops.h"

namespace rebasin {

std::vector<std::span<const Operator>> AllOperators() {
  return {UnaryOperators(), MatMulOperators()};
}

}  // namespace rebasin
