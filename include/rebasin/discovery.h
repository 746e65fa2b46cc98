// Finds the symmetries of a model in its graph, and proves them by running it.
//
//   const rebasin::Discovery found = rebasin::Discover(*graph);
//   const auto symmetry = std::make_shared<rebasin::Symmetry>(found.symmetry);
//   const rebasin::VerifyReport report = rebasin::Verify(
//       *graph, weights, rebasin::Alignment::Random(symmetry, /*seed=*/1));
//   std::cout << rebasin::VerdictText(report);
//
// At first each axis of each weight is free, and each axis of the graph's
// inputs and outputs is fixed. Every operator has a law: which of its axes must
// be permuted together, split, joined or left alone so that its output stays
// the same. The laws are applied until nothing new follows. What remains free
// is a symmetry: permuting the weights by any element of the group does not
// change the function.
//
// The result holds for all input sizes that the graph leaves open. The laws are
// applied at several choices of these sizes. An axis that is cut at a place
// that depends on them is fixed, and so are indices that no operator uses.
//
// An operator without a law fixes all its axes and is listed in
// Discovery::barriers. A missing law can hide a symmetry, but never makes a
// wrong one.
//
// If requested, scalings are found in the same way: numbers by which the
// weights of a unit may be multiplied because the operators undo it (see
// Scaling in symmetry.h).

#ifndef REBASIN_DISCOVERY_H_
#define REBASIN_DISCOVERY_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// A node that ties axes of weights to one group.
struct Tie {
  std::string node;               // 'Conv "layer1.0.conv1"'
  std::vector<std::string> axes;  // 'layer1.0.conv1.weight[0]', 'input 0[1]'
};

// Indices of a weight's axis that are not permuted, and one reason. An axis may
// have several of these.
struct FixedAxis {
  std::string weight;
  int axis = 0;
  int64_t indices = 0;  // number of indices fixed for this reason
  std::string reason;   // "reaches the graph output"
  std::string cause;    // name of the node or value; may be empty
};

// A value computed from the graph's inputs that carries groups into a matrix
// product or a convolution. Activation matching compares units here, as the
// next layer sees them.
struct Carrier {
  ValueId value = kNoValue;
  std::vector<Axis> axes;
};

// The result of Discover.
struct Discovery {
  Symmetry symmetry;
  // For each group, the nodes that tie its axes together, in graph order.
  std::vector<std::vector<Tie>> ties;
  // Reasons for all indices that are not permuted.
  std::vector<FixedAxis> fixed;
  // Nodes without a law or with unknown shapes; all their axes are fixed.
  std::vector<std::string> barriers;
  // In the order in which the graph computes the operators that use them.
  std::vector<Carrier> carriers;
};

// Symmetries to look for besides permutations.
struct DiscoverOptions {
  // Positive factors (for homogeneous activations, and behind norms).
  bool scales = false;
  // Sign flips (for odd activations, and before norms).
  bool signs = false;
};

// Finds the symmetries of a graph. Deterministic; time grows about linearly
// with the number of nodes. Throws Error(kBadInput) if the shapes of the graph
// contradict each other.
Discovery Discover(const Graph& graph, const DiscoverOptions& options = {});

// The same with these shapes of the graph's inputs, which appear in the axes of
// carriers.
Discovery Discover(const Graph& graph, std::span<const Shape> input_shapes,
                   const DiscoverOptions& options = {});

// Proof by running: a permuted model must compute the same function.
//
// Whether a permutation is a symmetry depends on the graph only, not on weights
// or input sizes. So the reference interpreter runs the graph in double, with
// original and with permuted weights:
//
// - with the model's own weights and with random ones, which have no zero gains
//   or dead units that could hide an error;
// - at several choices of the sizes that the inputs leave open;
// - with single tensors permuted, for each group that moves: this must change
//   the outputs. Groups for which it never does are listed as unproved;
// - with equal scores, if an operator selects the best of several: the first of
//   equal scores is chosen, so the result depends on the order of units.
//
// A graph that is too expensive to run is replaced by one of the same structure
// with fewer units. Correct permutations change outputs by rounding only, about
// 1e-12 of their size; wrong ones change them by about their size.

// Options of Verify.
struct VerifyOptions {
  // The largest difference that passes, relative to the largest absolute value
  // of the output.
  double tolerance = 1e-7;
  // Sets of random weights for each choice of input sizes.
  int draws = 2;
};

// The difference between one output of the original and the permuted model.
struct OutputDifference {
  std::string name;
  Shape shape;
  double largest = 0;     // largest absolute value of the output
  double difference = 0;  // largest absolute difference

  // `difference` / `largest`; `difference` if `largest` is 0.
  double relative() const;
};

// The result of Verify.
struct VerifyReport {
  // The input shapes that were used, without repetition.
  std::vector<std::vector<Shape>> input_shapes = {};
  // For each output, the run with the largest relative difference.
  std::vector<OutputDifference> outputs = {};
  // All differences are within the tolerance.
  bool same = false;
  // Groups that move but had no effect in any run.
  std::vector<std::string> unproved = {};
  // Groups that move and whose order decides which of several equal scores is
  // chosen. Whether a model ever computes equal scores is not known.
  std::vector<std::string> tie_breakers = {};
  int64_t runs = 0;  // pairs of runs compared
  // Random weights were used with a graph of fewer units.
  bool small = false;
  // The model's own weights were used too.
  bool own = false;
  // Only a part of the graph was compared: the part before values whose shapes
  // depend on data. The rest reads permuted weights only through the compared
  // values.
  bool part = false;
  // If the whole graph cannot be run and values of this part differ, which need
  // not change the function: why it cannot.
  std::string cannot_run = {};

  // The output with the largest relative difference. Requires at least one
  // output.
  const OutputDifference& worst() const;

  // True if the proof succeeded.
  bool proved() const {
    return same && unproved.empty() && tie_breakers.empty();
  }
};

// Returns "the same function", or what is wrong.
std::string VerdictText(const VerifyReport& report);

// Compares the model with the model permuted by each of `elements`, which must
// have the same symmetry. Throws Error(kMismatch) if the weights do not fit the
// graph or the alignment, Error(kUnsupported) if the graph has an operator that
// the interpreter cannot run or its outputs are not finite, Error(kBadInput) if
// a weight is not finite. The result is the same for any number of threads.
VerifyReport Verify(const Graph& graph, const Checkpoint& model,
                    std::span<const Alignment> elements,
                    const VerifyOptions& options = {}, const Run& run = {});
VerifyReport Verify(const Graph& graph, const Checkpoint& model,
                    const Alignment& alignment,
                    const VerifyOptions& options = {}, const Run& run = {});

// Returns how many random elements to test so that a wrong symmetry is missed
// with probability 1/500 at most. Small groups need several: a random element
// may leave them in place, or move two of them alike by chance.
int EnoughElements(const Symmetry& symmetry);

// Throws Error(kMismatch) unless the model has every weight of the graph with
// the same shape.
void CheckFits(const Graph& graph, const Checkpoint& model);

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_H_
