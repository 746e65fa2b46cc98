// What a merged classifier kept of each of its parents.
//
//   const KeptKnowledge kept = WhatIsKept(labels, {of_a, of_b}, of_merged);
//   std::cout << VerdictText(kept);  // "the merge is mostly model 1"
//
// Accuracy does not tell merging from copying: a slightly damaged copy of A may
// be more accurate than an honest merge. What tells them apart are the examples
// that only one parent gets right. A copy of A gets A's and fails B's; a merge
// gets more of both than a network that had no part in it.

#ifndef REBASIN_NN_KNOWLEDGE_H_
#define REBASIN_NN_KNOWLEDGE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rebasin {

// The class that a model predicts for each example; -1 where its output is not
// a number.
using Predictions = std::vector<int32_t>;

// A share of examples, and the standard error of it.
struct Share {
  int64_t examples = 0;
  double value = 0;
  double error = 0;
};

// What the merged model kept of one parent.
struct KeptOfParent {
  // Of the examples that only this parent gets right, the share that the
  // merged model gets right.
  Share only_this;
  // The share of all examples for which both predict the same class.
  double agreement = 0;
};

enum class MergeVerdict {
  kTooFewExamples,   // that only one parent gets right
  kKeepsAll,         // more of the parents than an uninvolved network has
  kMostlyOne,        // much more of one parent than of another
  kLikeUninvolved,   // no more of the parents than an uninvolved network has
  kWorseThanEither,  // that, and less accurate than each parent
};

struct KeptKnowledge {
  std::vector<KeptOfParent> parents = {};
  // The share of such examples that a network gets right that had no part in
  // the merge. With three parents or more it is measured by leaving one out:
  // how many examples that only one of the others gets right does it get
  // right. With two it follows from how often they agree (see
  // UninvolvedShare). Nothing if the parents never differ.
  std::optional<double> uninvolved = {};
  // The share of all examples for which the ensemble of the parents and the
  // merged model predict the same class.
  double ensemble_agreement = 0;
  MergeVerdict verdict = MergeVerdict::kTooFewExamples;
  // For kMostlyOne: the index of the parent.
  size_t mostly = 0;
};

// All predictions are for the same examples, in the same order; there are two
// parents or more. `ensemble` may be empty.
KeptKnowledge WhatIsKept(std::span<const int32_t> labels,
                         std::span<const Predictions> parents,
                         const Predictions& merged,
                         const Predictions& ensemble = {});

// The share of the examples which exactly one of two networks gets right that
// a third network of the same kind gets right. Each example has a chance to be
// classified correctly, the same for all three networks and independently; the
// chances have the Beta distribution in which one network is right with
// probability `right` and two are right together with probability `both_right`.
// Given one success and one failure, its mean is (a + 1) / (a + b + 2). Nothing
// if the networks never differ.
std::optional<double> UninvolvedShare(double right, double both_right);

// "the merge keeps knowledge of both parents", "the merge is mostly model 1"...
std::string VerdictText(const KeptKnowledge& kept);

}  // namespace rebasin

#endif  // REBASIN_NN_KNOWLEDGE_H_
