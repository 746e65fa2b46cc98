// Finding the symmetries of a model in its graph, and proving them by running.
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

// Proof by running: a permuted model must compute what the model computes.
//
// Whether permuting is a symmetry is a property of the graph, for all weights
// and at all sizes of its inputs. So the graph is run, in double, by the plain
// reference interpreter, with weights and permuted:
//
// - with the model's own weights, and with random ones of the same shapes,
//   where no zero gain and no dead unit hides anything;
// - at more than one choice of the sizes that the inputs leave open;
// - each group that moves must be seen: moving it in one tensor alone must
//   change the outputs. Groups that no run can see are listed as unproved;
// - and where the best of several is chosen by scores that may be equal, they
//   are made equal: the first of equals is chosen, so that their order counts.
//
// A graph that is costly to run is proved on one of the same structure with
// fewer units. Outputs may differ by rounding only, some 1e-12 of their size; a
// wrong permutation shows as a difference of order one.

struct VerifyOptions {
  // Largest difference that passes, relative to the output's largest absolute
  // value.
  double tolerance = 1e-7;
  int draws = 2;  // of random weights, for each choice of input sizes
};

struct OutputDifference {
  std::string name;
  Shape shape;
  double largest = 0;     // absolute value in the output
  double difference = 0;  // largest absolute difference

  // The difference as a share of the largest value, unless that is 0.
  double relative() const;
};

struct VerifyReport {
  // Of the runs that were made, without repetition.
  std::vector<std::vector<Shape>> input_shapes = {};
  // For each output, the run with the largest relative difference.
  std::vector<OutputDifference> outputs = {};
  // All differences within tolerance.
  bool same = false;
  // Names of groups that move and were not seen by any run.
  std::vector<std::string> unproved = {};
  // Names of groups that move and whose order decides which of equal scores is
  // chosen. Whether the weights of a model ever give equal ones is not known.
  std::vector<std::string> tie_breakers = {};
  int64_t runs = 0;    // pairs of runs that were compared
  bool small = false;  // random weights were tried on a graph with fewer units
  bool own = false;    // the model's own weights were run, too
  // What is compared is not the graph's outputs, but the values from which all
  // is computed whose shape depends on data: the rest of the graph reads no
  // other value that permuted weights have a part in.
  bool part = false;

  // The output with the largest relative difference. Requires one.
  const OutputDifference& worst() const;

  bool proved() const {
    return same && unproved.empty() && tie_breakers.empty();
  }
};

// "the same function", or what is wrong with a proof.
std::string VerdictText(const VerifyReport& report);

// Compares the model with itself permuted by each of `elements`, which have one
// symmetry. Throws Error(kMismatch) if the weights do not fit the graph or the
// alignment, Error(kUnsupported) if the graph has an operator that cannot be
// run here or gives no finite outputs, Error(kBadInput) if a weight of the
// model is not finite.
VerifyReport Verify(const Graph& graph, const Checkpoint& model,
                    std::span<const Alignment> elements,
                    const VerifyOptions& options = {}, const Run& run = {});
VerifyReport Verify(const Graph& graph, const Checkpoint& model,
                    const Alignment& alignment,
                    const VerifyOptions& options = {}, const Run& run = {});

// So many random elements that a wrong symmetry is missed in one of 500 cases
// at most: where two small groups are really one, or may not move at all,
// random elements may move them alike, or not.
int EnoughElements(const Symmetry& symmetry);

// Throws Error(kMismatch) unless every weight of the graph is in the model,
// with the same shape.
void CheckFits(const Graph& graph, const Checkpoint& model);

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_H_
