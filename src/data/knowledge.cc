#include "rebasin/nn/knowledge.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace rebasin {
namespace {

// Fewer examples that only one parent gets right say nothing.
constexpr int64_t kFewest = 20;
// Standard errors beyond which a difference counts.
constexpr double kSure = 2;
// A merge leans to one parent if it has this much more of it, however many
// examples there are.
constexpr double kLeans = 0.15;
// A copy of one parent has less than this share of what it has of that parent
// of the others.
constexpr double kRemnant = 0.25;

bool IsRight(const Predictions& model, std::span<const int32_t> labels,
             size_t i) {
  return model[i] == labels[i];
}

// Counts examples, and those that a model gets right.
class Tally {
 public:
  void Add(bool right) {
    ++all_;
    right_ += right;
  }
  void Add(const Tally& other) {
    all_ += other.all_;
    right_ += other.right_;
  }
  int64_t all() const { return all_; }
  Share share() const {
    if (all_ == 0) return {};
    const auto n = static_cast<double>(all_);
    const double value = static_cast<double>(right_) / n;
    // Not zero where all are right or all are wrong (Agresti and Coull).
    const double smoothed = (static_cast<double>(right_) + 2) / (n + 4);
    return {all_, value, std::sqrt(smoothed * (1 - smoothed) / (n + 4))};
  }

 private:
  int64_t all_ = 0, right_ = 0;
};

double AgreementOf(const Predictions& x, const Predictions& y) {
  Tally same;
  for (size_t i = 0; i < x.size(); ++i) same.Add(x[i] == y[i]);
  return same.share().value;
}

double AccuracyOf(const Predictions& model, std::span<const int32_t> labels) {
  Tally right;
  for (size_t i = 0; i < labels.size(); ++i) {
    right.Add(IsRight(model, labels, i));
  }
  return right.share().value;
}

// Of the examples that parent `p` alone gets right, those that `judged` gets
// right. A parent that is left out does not count as one.
Tally OfOnly(std::span<const int32_t> labels,
             std::span<const Predictions> parents, size_t p,
             const Predictions& judged, std::optional<size_t> left_out = {}) {
  Tally tally;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (!IsRight(parents[p], labels, i)) continue;
    bool only = true;
    for (size_t q = 0; q < parents.size() && only; ++q) {
      only = q == p || q == left_out || !IsRight(parents[q], labels, i);
    }
    if (only) tally.Add(IsRight(judged, labels, i));
  }
  return tally;
}

// Each parent in turn is the network that had no part in the others' merge.
std::optional<double> LeavingOneOut(std::span<const int32_t> labels,
                                    std::span<const Predictions> parents) {
  Tally all;
  for (size_t out = 0; out < parents.size(); ++out) {
    for (size_t p = 0; p < parents.size(); ++p) {
      if (p != out) all.Add(OfOnly(labels, parents, p, parents[out], out));
    }
  }
  if (all.all() == 0) return std::nullopt;
  return all.share().value;
}

std::optional<double> FromAgreement(std::span<const int32_t> labels,
                                    std::span<const Predictions> parents) {
  double right = 0, both = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    const bool a = IsRight(parents[0], labels, i);
    const bool b = IsRight(parents[1], labels, i);
    right += (a + b) / 2.0;
    both += a && b;
  }
  const auto n = static_cast<double>(labels.size());
  return UninvolvedShare(right / n, both / n);
}

bool IsAbove(const Share& share, double level) {
  return share.value > level + kSure * share.error;
}

// Of the examples that any parent alone gets right.
Share Pooled(const std::vector<KeptOfParent>& parents) {
  double examples = 0, right = 0, variance = 0;
  for (const auto& [share, agreement] : parents) {
    const auto n = static_cast<double>(share.examples);
    examples += n;
    right += n * share.value;
    variance += n * n * share.error * share.error;
  }
  return {static_cast<int64_t>(examples), right / examples,
          std::sqrt(variance) / examples};
}

// Whether the merge has much more of its favourite than of the parent that it
// has least of, and no more of that one than an uninvolved network.
bool IsMostly(const Share& most, const Share& least, double uninvolved) {
  const double difference = most.value - least.value;
  const double error = std::hypot(most.error, least.error);
  return difference > std::max(kLeans, kSure * error) &&
         !IsAbove(least, uninvolved);
}

// Whether what leans to the favourite is a copy of it, maybe a damaged one. A
// ruin may lean to one parent, too: it has something of the other, and agrees
// with the favourite less than the parents with each other.
bool IsCopy(const KeptOfParent& favourite, const Share& least,
            double among_parents) {
  return least.value < kRemnant * favourite.only_this.value ||
         favourite.agreement > among_parents;
}

// How often the parent that is nearest to parent `p` agrees with it.
double NearestAgreement(std::span<const Predictions> parents, size_t p) {
  double most = 0;
  for (size_t q = 0; q < parents.size(); ++q) {
    if (q != p) most = std::max(most, AgreementOf(parents[p], parents[q]));
  }
  return most;
}

MergeVerdict Judge(const KeptKnowledge& kept, size_t favourite,
                   double among_parents, double accuracy, double worst_parent) {
  const auto few = [](const KeptOfParent& p) {
    return p.only_this.examples < kFewest;
  };
  if (!kept.uninvolved ||
      std::any_of(kept.parents.begin(), kept.parents.end(), few)) {
    return MergeVerdict::kTooFewExamples;
  }
  const Share& most = kept.parents[favourite].only_this;
  for (const KeptOfParent& parent : kept.parents) {
    if (IsMostly(most, parent.only_this, *kept.uninvolved) &&
        IsCopy(kept.parents[favourite], parent.only_this, among_parents)) {
      return MergeVerdict::kMostlyOne;
    }
  }
  if (IsAbove(Pooled(kept.parents), *kept.uninvolved)) {
    return MergeVerdict::kKeepsAll;
  }
  return accuracy < worst_parent ? MergeVerdict::kWorseThanEither
                                 : MergeVerdict::kLikeUninvolved;
}

}  // namespace

std::optional<double> UninvolvedShare(double right, double both_right) {
  const double variance = both_right - right * right;
  const double largest = right * (1 - right);
  // Never both right and wrong: all chances are 0 or 1.
  if (!(right - both_right > 0)) return std::nullopt;
  // Networks that differ more than by chance: as if all chances were equal.
  if (!(variance > 0)) return right;
  const double sum = largest / variance - 1;  // a + b
  return (right * sum + 1) / (sum + 2);
}

KeptKnowledge WhatIsKept(std::span<const int32_t> labels,
                         std::span<const Predictions> parents,
                         const Predictions& merged,
                         const Predictions& ensemble) {
  assert(parents.size() >= 2 && !labels.empty());
  KeptKnowledge kept;
  double worst_parent = 1;
  for (size_t p = 0; p < parents.size(); ++p) {
    kept.parents.push_back({OfOnly(labels, parents, p, merged).share(),
                            AgreementOf(parents[p], merged)});
    worst_parent = std::min(worst_parent, AccuracyOf(parents[p], labels));
  }
  kept.uninvolved = parents.size() == 2 ? FromAgreement(labels, parents)
                                        : LeavingOneOut(labels, parents);
  if (!ensemble.empty()) {
    kept.ensemble_agreement = AgreementOf(ensemble, merged);
  }
  const auto favourite =
      std::max_element(kept.parents.begin(), kept.parents.end(),
                       [](const KeptOfParent& x, const KeptOfParent& y) {
                         return x.only_this.value < y.only_this.value;
                       });
  kept.mostly = static_cast<size_t>(favourite - kept.parents.begin());
  kept.verdict =
      Judge(kept, kept.mostly, NearestAgreement(parents, kept.mostly),
            AccuracyOf(merged, labels), worst_parent);
  return kept;
}

std::string VerdictText(const KeptKnowledge& kept) {
  const bool two = kept.parents.size() == 2;
  switch (kept.verdict) {
    case MergeVerdict::kTooFewExamples:
      return "too few examples tell the parents apart";
    case MergeVerdict::kKeepsAll:
      return two ? "the merge keeps knowledge of both parents"
                 : "the merge keeps knowledge of all parents";
    case MergeVerdict::kMostlyOne:
      return "the merge is mostly model " + std::to_string(kept.mostly + 1);
    case MergeVerdict::kLikeUninvolved:
      return "the merge has no more of its parents than an uninvolved network";
    case MergeVerdict::kWorseThanEither:
      return two ? "the merge is worse than either parent"
                 : "the merge is worse than each of its parents";
  }
  return "";
}

}  // namespace rebasin
