// Parses equations of Einsum: "bij,bjk->bik", with letters for axes.

#ifndef REBASIN_GRAPH_OPS_EINSUM_EQUATION_H_
#define REBASIN_GRAPH_OPS_EINSUM_EQUATION_H_

#include <cstdint>
#include <map>
#include <vector>

#include "graph/operator.h"

namespace rebasin {

// A letter. The axes of an ellipsis are -1, -2, ..., counted from the last.
using Label = int;
using Labels = std::vector<Label>;

struct Equation {
  std::vector<Labels> inputs;
  Labels output;
  std::map<Label, int64_t> sizes;
};

// Parses the attribute `equation` and the shapes of the inputs. Throws
// context.Bad if they do not fit.
Equation ParseEquation(const OpContext& context);

// The shape of an array with these labels.
Shape ShapeOf(const Labels& labels, const Equation& equation);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_EINSUM_EQUATION_H_
