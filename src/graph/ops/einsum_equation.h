// The equations of Einsum: "bij,bjk->bik", with letters for axes.

#ifndef REBASIN_GRAPH_OPS_EINSUM_EQUATION_H_
#define REBASIN_GRAPH_OPS_EINSUM_EQUATION_H_

#include <cstdint>
#include <map>
#include <vector>

#include "graph/operator.h"

namespace rebasin {

// A letter; or for the axes of an ellipsis, from the last, -1, -2, ...
using Label = int;
using Labels = std::vector<Label>;

struct Equation {
  std::vector<Labels> inputs;
  Labels output;
  std::map<Label, int64_t> sizes;
};

// The attribute `equation`, read for the shapes of the inputs. Throws
// context.Bad if they do not fit each other.
Equation ParseEquation(const OpContext& context);

// The sizes that the labels have.
Shape ShapeOf(const Labels& labels, const Equation& equation);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_EINSUM_EQUATION_H_
