#include "rebasin/match_scaled.h"

#include <algorithm>
#include <optional>

#include "base/parallel.h"
#include "match/gauge.h"
#include "match/signed_models.h"
#include "rebasin/merge.h"

namespace rebasin {
namespace {

bool Has(const Symmetry& symmetry, ScalingKind kind) {
  return std::any_of(symmetry.scalings().begin(), symmetry.scalings().end(),
                     [&](const Scaling& s) { return s.kind == kind; });
}

// Matching must not see how the smaller types round what is rescaled.
Checkpoint WithoutSmallTypes(const Checkpoint& model) {
  const bool small = std::any_of(
      model.tensors().begin(), model.tensors().end(), [](const Tensor& t) {
        return t.dtype == DType::kF16 || t.dtype == DType::kBF16;
      });
  return small ? ConvertTypes(model, DType::kF32) : model;
}

// Two models with the smallest weights that they can have.
class Rescaled {
 public:
  Rescaled(const Checkpoint& a, const Checkpoint& b,
           std::shared_ptr<const Symmetry> symmetry, int threads)
      : pool_(threads),
        gauge_a_(symmetry),
        gauge_b_(symmetry),
        a_(WithoutSmallTypes(a)),
        b_(WithoutSmallTypes(b)) {
    if (!Has(*symmetry, ScalingKind::kScale)) return;
    gauge_a_ = LeastScales(a, symmetry, pool_);
    gauge_b_ = LeastScales(b, symmetry, pool_);
    a_ = Permute(a_, gauge_a_, threads);
    b_ = Permute(b_, gauge_b_, threads);
  }

  const Checkpoint& a() const { return a_; }
  const Checkpoint& b() const { return b_; }
  ThreadPool& pool() { return pool_; }

  // From an alignment of these two to one of the models themselves.
  MatchResult Finish(const Alignment& found, MatchReport report) const {
    Alignment alignment = gauge_b_.Then(found).Then(gauge_a_.Inverse());
    report.already_aligned = alignment.IsIdentity();
    return {std::move(alignment), std::move(report)};
  }

 private:
  ThreadPool pool_;
  Alignment gauge_a_, gauge_b_;
  Checkpoint a_, b_;
};

void CheckModels(const Checkpoint& a, const Checkpoint& b,
                 const Symmetry& symmetry) {
  CheckSameStructure(a, b);
  symmetry.CheckFits(a, {.allow_uncovered = true, .warn = {}});
}

// What the inner products came to once signs were fitted.
void UpdateProducts(const MatchReport& now, MatchReport& report) {
  report.objective_after = now.objective_before;
  for (TensorMatch& tensor : report.tensors) {
    for (const TensorMatch& other : now.tensors) {
      if (other.name == tensor.name) tensor.dot_after = other.dot_before;
    }
  }
}

}  // namespace

MatchResult MatchWeightsScaled(const Checkpoint& a, const Checkpoint& b,
                               std::shared_ptr<const Symmetry> symmetry,
                               const MatchOptions& options) {
  CheckModels(a, b, *symmetry);
  const Rescaled models(a, b, symmetry, options.threads);
  const SignedModels with_signs(symmetry);
  MatchOptions settings = options;
  std::optional<Alignment> from;
  if (options.from != nullptr) {
    from = with_signs.Write(*options.from);
    settings.from = &*from;
  }
  MatchResult found =
      MatchWeights(with_signs.Expand(models.a()), with_signs.Expand(models.b()),
                   with_signs.symmetry(), settings);
  found.report.units_moved.resize(symmetry->groups().size());
  return models.Finish(with_signs.Read(found.alignment),
                       std::move(found.report));
}

MatchResult MatchScaled(const Checkpoint& a, const Checkpoint& b,
                        std::shared_ptr<const Symmetry> symmetry,
                        const PlainMatch& match, int threads) {
  CheckModels(a, b, *symmetry);
  Rescaled models(a, b, symmetry, threads);
  const auto plain =
      std::make_shared<const Symmetry>(symmetry->WithoutScalings());
  MatchResult found = match(models.a(), models.b(), plain);
  Alignment alignment = found.alignment.For(symmetry);
  if (Has(*symmetry, ScalingKind::kSign)) {
    const Checkpoint moved = Permute(models.b(), alignment, threads);
    const Alignment signs =
        BestSigns(models.a(), moved, symmetry, models.pool());
    alignment = alignment.Then(signs);
    UpdateProducts(
        DescribeAlignment(models.a(), Permute(moved, signs, threads),
                          Alignment(plain), threads),
        found.report);
  }
  return models.Finish(alignment, std::move(found.report));
}

}  // namespace rebasin
