// MergeMany (Git Re-Basin, Algorithm 4).

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "base/random.h"
#include "rebasin/error.h"
#include "rebasin/merge.h"

namespace rebasin {
namespace {

Tensor AsFloat(const Tensor& tensor) {
  if (tensor.dtype == DType::kF32) return tensor;
  std::vector<float> values(static_cast<size_t>(tensor.size()));
  ReadFloats(tensor, 0, values);
  return MakeTensor(tensor.name, tensor.shape, values);
}

// The tensors that the symmetry describes, the arithmetic ones as F32: models
// are matched with means, which no narrower type holds.
Checkpoint MatchedPart(const Checkpoint& model, const Symmetry& symmetry) {
  std::vector<Tensor> tensors;
  for (const TensorSymmetry& described : symmetry.tensors()) {
    const Tensor* tensor = model.Find(described.name);
    tensors.push_back(IsArithmetic(tensor->dtype) ? AsFloat(*tensor) : *tensor);
  }
  return Checkpoint(std::move(tensors));
}

// The sum of all models as they stand, kept up to date. Double, so that adding
// and taking away leaves no trace.
class RunningSum {
 public:
  explicit RunningSum(const Checkpoint& model) {
    for (const Tensor& tensor : model.tensors()) {
      const bool counts = tensor.dtype == DType::kF32;
      sums_.emplace_back(counts ? static_cast<size_t>(tensor.size()) : 0);
    }
  }

  void Add(const Checkpoint& model, double factor) {
    for (size_t t = 0; t < sums_.size(); ++t) {
      if (sums_[t].empty()) continue;
      const std::vector<float> values = Values(model.tensors()[t]);
      for (size_t i = 0; i < values.size(); ++i) {
        sums_[t][i] += factor * static_cast<double>(values[i]);
      }
    }
  }

  // The sum without `model`, times `factor`, as a model.
  Checkpoint Without(const Checkpoint& model, double factor) const {
    std::vector<Tensor> tensors = model.tensors();
    for (size_t t = 0; t < sums_.size(); ++t) {
      if (sums_[t].empty()) continue;
      std::vector<float> values = Values(tensors[t]);
      for (size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(
            factor * (sums_[t][i] - static_cast<double>(values[i])));
      }
      tensors[t] = MakeTensor(tensors[t].name, tensors[t].shape, values);
    }
    return Checkpoint(std::move(tensors));
  }

  double SquaredNorm() const {
    double total = 0;
    for (const auto& sum : sums_) {
      total += std::inner_product(sum.begin(), sum.end(), sum.begin(), 0.0);
    }
    return total;
  }

 private:
  static std::vector<float> Values(const Tensor& tensor) {
    std::vector<float> values(static_cast<size_t>(tensor.size()));
    ReadFloats(tensor, 0, values);
    return values;
  }

  std::vector<std::vector<double>> sums_;  // in the order of the tensors
};

double SquaredNorm(const Checkpoint& model) {
  RunningSum sum(model);
  sum.Add(model, 1);
  return sum.SquaredNorm();
}

class ManyMatcher {
 public:
  ManyMatcher(std::span<const Checkpoint> models,
              std::shared_ptr<const Symmetry> symmetry,
              const ManyOptions& options)
      : symmetry_(std::move(symmetry)),
        options_(options),
        random_(options.match.seed),
        alignments_(models.size(), Alignment(symmetry_)) {
    for (const Checkpoint& model : models) {
      originals_.push_back(MatchedPart(model, *symmetry_));
      squares_ += SquaredNorm(originals_.back());
    }
    Reset();
  }

  ManyResult Run() {
    ManyResult result;
    result.spread_by_round.push_back(Spread());
    while (result.rounds < options_.max_rounds && !result.converged) {
      const int moved = result.rounds == 0 ? FirstRound() : Round();
      ++result.rounds;
      const double spread = std::min(Spread(), result.spread_by_round.back());
      result.spread_by_round.push_back(spread);
      // The first round compares with fewer models than all others.
      result.converged = moved == 0 && result.rounds > 1;
      if (options_.progress) options_.progress(result.rounds, moved, spread);
    }
    result.alignments = std::move(alignments_);
    return result;
  }

 private:
  size_t size() const { return originals_.size(); }

  // Each model joins the mean of those before it. Matching all to the mean of
  // models that are not aligned yet, as the paper's first round does, follows
  // noise: the mean of many permuted networks is nearly constant.
  int FirstRound() {
    const double before = Spread();
    sum_.emplace(originals_[0]);
    sum_->Add(current_[0], 1);
    int moved = 0;
    for (size_t m = 1; m < size(); ++m) {
      sum_->Add(current_[m], 1);
      moved += Improve(m, 1.0 / static_cast<double>(m), options_.match.start);
    }
    if (Spread() <= before) return moved;
    Reset();
    return 0;
  }

  int Round() {
    std::vector<size_t> order(size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (options_.match.random_order) random_.Shuffle(std::span(order));
    int moved = 0;
    const double factor = 1.0 / static_cast<double>(size() - 1);
    for (size_t m : order) moved += Improve(m, factor, MatchStart::kIdentity);
    return moved;
  }

  // Matches one model to the mean of the others; true if it moved. The matcher
  // returns the identity unless something is better.
  bool Improve(size_t m, double factor, MatchStart start) {
    MatchOptions options = options_.match;
    options.start = start;
    if (start == MatchStart::kIdentity) options.restarts = 0;
    const MatchResult found = MatchWeights(sum_->Without(current_[m], factor),
                                           current_[m], symmetry_, options);
    if (found.alignment.IsIdentity()) return false;
    sum_->Add(current_[m], -1);
    alignments_[m] = alignments_[m].Then(found.alignment);
    current_[m] =
        Permute(originals_[m], alignments_[m], options_.match.threads);
    sum_->Add(current_[m], 1);
    return true;
  }

  void Reset() {
    current_ = originals_;
    std::fill(alignments_.begin(), alignments_.end(), Alignment(symmetry_));
    sum_.emplace(originals_[0]);
    for (const Checkpoint& model : originals_) sum_->Add(model, 1);
  }

  // Sum of |x - mean|^2 = sum of |x|^2 - |sum of x|^2 / n.
  double Spread() const {
    const double n = static_cast<double>(size());
    return std::max(0.0, squares_ - sum_->SquaredNorm() / n);
  }

  std::shared_ptr<const Symmetry> symmetry_;
  const ManyOptions& options_;
  Random random_;
  std::vector<Alignment> alignments_;
  std::vector<Checkpoint> originals_;
  std::vector<Checkpoint> current_;  // the originals, aligned
  std::optional<RunningSum> sum_;    // of current_
  double squares_ = 0;
};

}  // namespace

ManyResult MatchMany(std::span<const Checkpoint> models,
                     std::shared_ptr<const Symmetry> symmetry,
                     const ManyOptions& options) {
  if (models.size() < 2) {
    throw Error(ErrorCode::kUsage, "a merge needs at least two models");
  }
  for (const Checkpoint& model : models) {
    CheckSameStructure(models[0], model);
    symmetry->CheckFits(model, {.allow_uncovered = true, .warn = {}});
  }
  return ManyMatcher(models, std::move(symmetry), options).Run();
}

}  // namespace rebasin
