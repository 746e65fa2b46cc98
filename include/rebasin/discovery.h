// Finding the symmetries of a model in its graph.
//
// Each axis of each weight starts out free; each axis of the graph's inputs
// and outputs is fixed. Every operator has a law that says which of the axes
// it touches must be permuted together, split, joined or left alone for its
// output to stay the same; the laws are applied until nothing new follows.
// What remains free is a symmetry: permuting the weights by any element of the
// group found leaves the function as it is.
//
// What is found holds at all sizes that the graph's inputs leave open: the laws
// are applied at more than one choice of them, where an axis is cut at a place
// that follows those sizes it is fixed, and so are indices that no operator
// uses at the size of the graph.
//
// An operator without a law fixes every axis that it touches, and is listed.
// A missing law costs freedom, never correctness.
//
// Where asked for, scalings are found in the same way: by what the units of a
// group may be multiplied, in which weights and with which power, so that the
// operators undo it (see Scaling in symmetry.h).

#ifndef REBASIN_DISCOVERY_H_
#define REBASIN_DISCOVERY_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rebasin/graph.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// A node that a group runs through.
struct Tie {
  std::string node;               // 'Conv "layer1.0.conv1"'
  std::vector<std::string> axes;  // 'layer1.0.conv1.weight[0]', 'input 0[1]'
};

// Indices of a weight's axis that are not permuted, and why. An axis has one of
// these for each reason.
struct FixedAxis {
  std::string weight;
  int axis = 0;
  int64_t indices = 0;  // how many are fixed for this reason
  std::string reason;   // "reaches the graph output"
  std::string cause;    // the name of the node or value; may be empty
};

// A value, computed from the graph's inputs, that brings groups into a product
// of matrices or a convolution: here the activations of their units are seen as
// the next layer sees them.
struct Carrier {
  ValueId value = kNoValue;
  std::vector<Axis> axes;
};

struct Discovery {
  Symmetry symmetry;
  // For each group, the nodes that tie its axes together, in the order of the
  // graph.
  std::vector<std::vector<Tie>> ties;
  std::vector<FixedAxis> fixed;
  // Nodes without a law, or with unknown shapes, whose axes are fixed.
  std::vector<std::string> barriers;
  // In the order in which the graph computes their users.
  std::vector<Carrier> carriers;
};

struct DiscoverOptions {
  // Also find positive rescalings (of homogeneous activations, and behind
  // norms) and flips of sign (of odd activations, and before norms).
  bool scales = false;
  bool signs = false;
};

// Throws Error(kBadInput) where the shapes of the graph contradict each other.
// Deterministic. Time grows about linearly with the number of nodes.
Discovery Discover(const Graph& graph, const DiscoverOptions& options = {});

// The same, with the graph's inputs of these shapes, which show in the axes of
// carriers.
Discovery Discover(const Graph& graph, std::span<const Shape> input_shapes,
                   const DiscoverOptions& options = {});

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_H_
