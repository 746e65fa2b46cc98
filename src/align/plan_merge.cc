#include <set>
#include <utility>

#include "rebasin/align.h"
#include "rebasin/error.h"
#include "rebasin/repair.h"

namespace rebasin {
namespace {

MergeInput BaseOf(const MergePlan& plan) {
  return {&plan.base->weights,
          plan.base_alignment ? &*plan.base_alignment : nullptr};
}

class MergePlanner {
 public:
  MergePlanner(std::span<const Model> models, const MergeModelsOptions& options,
               const Model* base, const Run& run)
      : models_(models), options_(options), run_(run) {
    for (const Model& model : models) plan_.models.push_back(&model);
    plan_.base = base;
    plan_.shares = options.shares;
    if (plan_.shares.empty()) {
      plan_.shares.assign(models.size(),
                          1.0 / static_cast<double>(models.size()));
    }
  }

  MergePlan Run() {
    AlignModels();
    if (options_.align && options_.verify) ProveModels();
    ChooseSettings();
    return std::move(plan_);
  }

 private:
  bool AlignsJointly() const { return options_.jointly || models_.size() > 2; }

  void AlignModels() {
    if (plan_.base != nullptr && !AlignsJointly()) return PlanWithBase();
    if (!options_.align) return;
    if (AlignsJointly()) return AlignAll();
    plan_.match = AlignTwo(models_[0], models_[1]);
    plan_.alignments = {Alignment(models_[0].symmetry()),
                        plan_.match->alignment};
  }

  MatchResult AlignTwo(const Model& a, const Model& b) const {
    return options_.aligner ? options_.aligner(a, b)
                            : Align(a, b, options_.alignment, run_);
  }

  void AlignAll() {
    std::vector<Checkpoint> weights;
    for (const Model& model : models_) weights.push_back(model.weights);
    plan_.many = MatchMany(weights, models_[0].symmetry(), options_.many, run_);
    plan_.alignments = plan_.many->alignments;
  }

  // The first model's structure with other weights.
  Model WithWeights(const Checkpoint& weights) const {
    Model model = models_[0];
    model.weights = weights;
    return model;
  }

  void PlanWithBase() {
    Matcher matcher;
    if (options_.align) {
      matcher = [this](const Checkpoint& target, const Checkpoint& model) {
        MatchResult found = AlignTwo(WithWeights(target), WithWeights(model));
        // The report describes the match that moves the second model.
        if (&model == &models_[1].weights) plan_.match = found;
        return found.alignment;
      };
    }
    ThreeWayPlan found =
        PlanThreeWay(models_[0].weights, models_[1].weights,
                     plan_.base->weights, options_.three_way, matcher, run_);
    plan_.three_way = found.choice;
    plan_.adds_changes = found.choice.delta;
    plan_.evidence = found.evidence;
    plan_.base_alignment = std::move(found.base);
    if (options_.align) {
      plan_.alignments = {Alignment(models_[0].symmetry()),
                          *std::move(found.theirs)};
    }
  }

  void ProveModels() {
    for (size_t m = 0; m < models_.size(); ++m) {
      run_.Report("verifying", static_cast<int64_t>(m),
                  static_cast<int64_t>(models_.size()));
      ProveOne(models_[m], plan_.alignments[m]);
    }
    if (plan_.base_alignment) {
      ProveOne(WithWeights(plan_.base->weights), *plan_.base_alignment);
    }
  }

  void ProveOne(const Model& model, const Alignment& alignment) {
    if (const auto report = Prove(model, alignment, run_)) {
      plan_.proofs.push_back(*report);
    }
  }

  // Tensors that only one model changed are copied from it, and changes that
  // both made alike are kept. Constants are copied too, because a mean of equal
  // numbers may be rounded.
  std::map<std::string, size_t> TensorsToCopy() {
    std::map<std::string, size_t> copied;
    if (plan_.base != nullptr) {
      const std::vector<MergeInput> inputs = plan_.Inputs();
      const MergeInput base = BaseOf(plan_);
      copied = TensorsChangedByOne(inputs, base, run_);
      plan_.base->weights.CheckUnchanged();
      plan_.tensors_copied = copied.size();
      if (plan_.adds_changes) {
        copied.merge(TensorsChangedAlike(inputs, base, run_));
      }
    }
    for (const std::string& name : models_[0].structure.held) {
      copied.emplace(name, 0);
    }
    return copied;
  }

  std::set<std::string> Variances() const {
    std::set<std::string> names;
    const auto& graph = models_[0].graph();
    if (graph == nullptr) return names;
    for (const BatchNormSite& site : BatchNormSites(*graph)) {
      names.insert(site.variance);
    }
    return names;
  }

  void ChooseSettings() {
    plan_.settings = {.method = options_.interpolation,
                      .weights = options_.shares,
                      .copied = TensorsToCopy(),
                      .variances = Variances(),
                      .allow_nonfinite = options_.allow_nonfinite};
  }

  std::span<const Model> models_;
  const MergeModelsOptions& options_;
  const rebasin::Run& run_;
  MergePlan plan_;
};

}  // namespace

std::vector<MergeInput> MergePlan::Inputs() const {
  std::vector<MergeInput> inputs;
  for (size_t m = 0; m < models.size(); ++m) {
    inputs.push_back(
        {&models[m]->weights, alignments.empty() ? nullptr : &alignments[m]});
  }
  return inputs;
}

MergeOptions MergePlan::Settings() const {
  MergeOptions all = settings;
  if (adds_changes) all.base = BaseOf(*this);
  return all;
}

std::vector<Checkpoint> MergePlan::Aligned(const Run& run) const {
  std::vector<Checkpoint> aligned;
  for (const MergeInput& input : Inputs()) {
    aligned.push_back(input.alignment == nullptr
                          ? *input.model
                          : Permute(*input.model, *input.alignment, run));
  }
  return aligned;
}

MergePlan PlanMerge(std::span<const Model> models,
                    const MergeModelsOptions& options, const Model* base,
                    const Run& run) {
  if (models.size() < 2) {
    throw Error(ErrorCode::kUsage, "a merge needs at least two models");
  }
  return MergePlanner(models, options, base, run).Run();
}

}  // namespace rebasin
