// One or two small cases of every operator that has a gradient.

#ifndef REBASIN_TESTS_NN_GRADIENT_CASES_H_
#define REBASIN_TESTS_NN_GRADIENT_CASES_H_

#include <string>
#include <vector>

#include "graph/run_op.h"

namespace rebasin::testing {

struct GradientCase {
  std::string op;
  std::vector<Arg> inputs;
  Attributes attributes = {};
  int outputs = 1;
};

void PrintTo(const GradientCase& c, std::ostream* out);

// One file a family, as the lowerings.
std::vector<GradientCase> ElementwiseGradients();
std::vector<GradientCase> LayerGradients();   // products, convolutions, norms
std::vector<GradientCase> LayoutGradients();  // what moves elements about

// Numbers in [low, high), the same in every run and different in every call.
Array Random(Shape shape, double low = -1, double high = 1);

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_NN_GRADIENT_CASES_H_
