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

#ifndef REBASIN_VERIFY_H_
#define REBASIN_VERIFY_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"
#include "rebasin/symmetry.h"

namespace rebasin {

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

#endif  // REBASIN_VERIFY_H_
