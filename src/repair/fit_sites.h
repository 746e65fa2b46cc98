// The layers of a graph whose weights can be fitted to targets by least
// squares.

#ifndef REBASIN_REPAIR_FIT_SITES_H_
#define REBASIN_REPAIR_FIT_SITES_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "rebasin/graph.h"

namespace rebasin {

// The weights of a BatchNormalization that follows a product. Together they
// are one affine function of the product's input.
struct FoldedNorm {
  ValueId gain = kNoValue, bias = kNoValue;
  ValueId mean = kNoValue, variance = kNoValue;
  double epsilon = 0;
};

// A part of a graph whose result is linear in its weights.
struct FitSite {
  enum class Kind {
    kProduct,  // a convolution or matrix product, with all that follows it
    kFactors,  // a factor, and often a term, for each channel: of norms
  };
  Kind kind = Kind::kProduct;
  size_t node = 0;  // in Graph::nodes()
  // Used nowhere else. `bias` may be kNoValue.
  ValueId weight = kNoValue, bias = kNoValue;
  // For kProduct: the axis of the stored weight that counts outputs.
  int64_t channel_axis = 0;
  // For kFactors: the shape of the weight when it is broadcast to the output.
  Shape factor_shape = {};
  std::optional<FoldedNorm> norm = {};
  // The result: of the product, its bias and the norm behind it.
  ValueId output = kNoValue;
  // `output`, or the sum that it completes: the other terms, `rest`, are
  // computed before the node. A fit to the sum corrects their errors as well.
  ValueId target = kNoValue;
  std::vector<ValueId> rest = {};
  // If axes are transposed between output and sum: axis i of the output is axis
  // axes[i] of the sum. Otherwise empty.
  std::vector<int64_t> axes = {};
  // Only rectifiers use the target: what is below zero is as good as zero.
  bool rectified = false;
};

// Returns the sites in node order. Layers whose weights have other uses are
// left out, and so are embeddings and recurrent layers. Throws Error(kBadInput)
// if the shapes of the graph contradict each other.
std::vector<FitSite> FitSites(const Graph& graph);

}  // namespace rebasin

#endif  // REBASIN_REPAIR_FIT_SITES_H_
