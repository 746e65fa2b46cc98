#include <algorithm>
#include <optional>

#include "base/parallel.h"
#include "match/scaled/gauge.h"
#include "match/scaled/signed_models.h"
#include "rebasin/alignment.h"
#include "rebasin/match.h"

namespace rebasin {
namespace {

bool Has(const Symmetry& symmetry, ScalingKind kind) {
  return std::any_of(symmetry.scalings().begin(), symmetry.scalings().end(),
                     [&](const Scaling& s) { return s.kind == kind; });
}

// Converts small types to F32, so that rescaled values are not rounded before
// matching.
Checkpoint WithoutSmallTypes(const Checkpoint& model) {
  const bool small = std::any_of(
      model.tensors().begin(), model.tensors().end(), [](const Tensor& t) {
        return t.dtype == DType::kF16 || t.dtype == DType::kBF16;
      });
  return small ? ConvertTypes(model, DType::kF32) : model;
}

// Recomputes the inner products after signs were fitted.
void UpdateProducts(const Checkpoint& a, const Checkpoint& aligned,
                    const std::shared_ptr<const Symmetry>& symmetry,
                    const Run& run, MatchReport& report) {
  const MatchReport now =
      DescribeAlignment(a, aligned, Alignment(symmetry), run);
  report.objective_after = now.objective_before;
  for (TensorMatch& tensor : report.tensors) {
    for (const TensorMatch& other : now.tensors) {
      if (other.name == tensor.name) tensor.dot_after = other.dot_before;
    }
  }
}

// The two models in the form that is compared: with the smallest possible
// weights, and with signs that are not searched for set by the weights
// themselves.
class Rescaled {
 public:
  Rescaled(const Checkpoint& a, const Checkpoint& b,
           std::shared_ptr<const Symmetry> symmetry, const Run& run)
      : pool_(run),
        with_signs_(symmetry),
        gauge_a_(GaugeOf(a, symmetry)),
        gauge_b_(GaugeOf(b, symmetry)),
        a_(Permute(WithoutSmallTypes(a), gauge_a_, run)),
        b_(Permute(WithoutSmallTypes(b), gauge_b_, run)) {}

  const SignedModels& with_signs() const { return with_signs_; }
  const Checkpoint& a() const { return a_; }
  const Checkpoint& b() const { return b_; }

  // Converts an alignment of the rescaled models to one of the original models,
  // and improves its signs.
  MatchResult Finish(Alignment found, MatchReport report, const Run& run) {
    const auto symmetry = found.shared_symmetry();
    if (Has(*symmetry, ScalingKind::kSign)) {
      const Checkpoint moved = Permute(b_, found, run);
      const Alignment signs = BestSigns(a_, moved, symmetry, pool_);
      found = found.Then(signs);
      UpdateProducts(a_, Permute(moved, signs, run), symmetry, run, report);
    }
    Alignment alignment = gauge_b_.Then(found).Then(gauge_a_.Inverse());
    report.already_aligned = alignment.IsIdentity();
    return {std::move(alignment), std::move(report)};
  }

 private:
  Alignment GaugeOf(const Checkpoint& model,
                    const std::shared_ptr<const Symmetry>& symmetry) {
    return LeastScales(model, symmetry, pool_)
        .Then(PositiveSigns(model, symmetry, with_signs_.LeftOut()));
  }

  ThreadPool pool_;
  SignedModels with_signs_;
  Alignment gauge_a_, gauge_b_;
  Checkpoint a_, b_;
};

void CheckModels(const Checkpoint& a, const Checkpoint& b,
                 const Symmetry& symmetry) {
  CheckSameStructure(a, b);
  symmetry.CheckFits(a, {.allow_uncovered = true});
}

}  // namespace

MatchResult MatchWeightsScaled(const Checkpoint& a, const Checkpoint& b,
                               std::shared_ptr<const Symmetry> symmetry,
                               const MatchOptions& options, const Run& run) {
  CheckModels(a, b, *symmetry);
  Rescaled models(a, b, symmetry, run);
  const SignedModels& with_signs = models.with_signs();
  MatchOptions settings = options;
  std::optional<Alignment> from;
  if (options.from != nullptr) {
    from = with_signs.Write(*options.from);
    settings.from = &*from;
  }
  MatchResult found =
      MatchWeights(with_signs.Expand(models.a()), with_signs.Expand(models.b()),
                   with_signs.symmetry(), settings, run);
  found.report.units_moved.resize(symmetry->groups().size());
  return models.Finish(with_signs.Read(found.alignment),
                       std::move(found.report), run);
}

MatchResult MatchScaled(const Checkpoint& a, const Checkpoint& b,
                        std::shared_ptr<const Symmetry> symmetry,
                        const PlainMatch& match, const Run& run) {
  CheckModels(a, b, *symmetry);
  Rescaled models(a, b, symmetry, run);
  MatchResult found =
      match(models.a(), models.b(),
            std::make_shared<const Symmetry>(symmetry->WithoutScalings()));
  return models.Finish(found.alignment.WithSymmetry(symmetry),
                       std::move(found.report), run);
}

}  // namespace rebasin
