#include "python/bindings/merge.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/bindings/align.h"
#include "python/bindings/choices.h"
#include "python/bindings/operation.h"
#include "rebasin/align.h"
#include "rebasin/error.h"
#include "rebasin/repair.h"

namespace rebasin::python {
namespace {

namespace nb = nanobind;

// A merged model, and how it came about.
struct Merged {
  Checkpoint weights = {};
  std::vector<FittedAlignment> alignments = {};
  std::optional<MatchReport> match = {};
  std::optional<ManyResult> many = {};
  std::vector<VerifyReport> proofs = {};
  bool adds_changes = false;
  std::string three_way = {};  // why changes were added or averaged
  std::map<std::string, size_t> taken = {};
};

struct MergeSettings {
  MergeModelsOptions options = {};
  bool repair_biases = false;
};

Checkpoint RepairedBiases(const MergePlan& plan, const Checkpoint& merged,
                          const Run& run) {
  const auto& graph = plan.models[0]->graph();
  if (!graph) {
    throw Error(ErrorCode::kUsage, "repair=\"bias\" needs a graph",
                "give model=");
  }
  return CorrectBiases(*graph, merged, plan.Aligned(run), plan.shares);
}

Merged Describe(MergePlan& plan, Checkpoint weights) {
  Merged merged{.weights = std::move(weights),
                .many = plan.many,
                .proofs = plan.proofs,
                .adds_changes = plan.adds_changes,
                .taken = plan.settings.copied};
  if (plan.match) merged.match = plan.match->report;
  if (plan.three_way) merged.three_way = plan.three_way->why;
  for (size_t m = 0; m < plan.alignments.size(); ++m) {
    merged.alignments.push_back(FitTo(*plan.models[m], plan.alignments[m]));
  }
  return merged;
}

void CheckModelsUnchanged(const std::vector<Model>& models) {
  for (const Model& model : models) model.weights.CheckUnchanged();
}

Merged MergeModels(std::vector<Model> models, bool has_base,
                   const MergeSettings& settings, const Settings& how) {
  return RunOperation(how, [&](const Run& run) {
    std::optional<Model> base;
    if (has_base) {
      base = std::move(models.back());
      models.pop_back();
    }
    MergePlan plan =
        PlanMerge(models, settings.options, base ? &*base : nullptr, run);
    const auto inputs = plan.Inputs();
    Checkpoint merged = Merge(inputs, plan.Settings(), run);
    if (settings.repair_biases) merged = RepairedBiases(plan, merged, run);
    CheckModelsUnchanged(models);
    return Describe(plan, std::move(merged));
  });
}

// Merges models by alignments that the caller has; without: the model stays.
Merged MergeAligned(
    const std::vector<Model>& models,
    const std::vector<std::optional<FittedAlignment>>& alignments,
    const MergeSettings& settings, const Settings& how) {
  return RunOperation(how, [&](const Run& run) {
    Merged merged;
    std::vector<MergeInput> inputs;
    for (size_t m = 0; m < models.size(); ++m) {
      inputs.push_back({.model = &models[m].weights});
      if (!alignments[m]) continue;
      inputs.back().alignment = &alignments[m]->alignment;
      if (!settings.options.verify) continue;
      auto proof = Prove(models[m], alignments[m]->alignment, run);
      if (proof) merged.proofs.push_back(*std::move(proof));
    }
    merged.weights =
        Merge(inputs,
              {.method = settings.options.interpolation,
               .weights = settings.options.shares,
               .allow_nonfinite = settings.options.allow_nonfinite},
              run);
    CheckModelsUnchanged(models);
    return merged;
  });
}

MergeSettings MakeSettings(
    const std::optional<std::string>& align, const MatchOptions& match,
    const std::string& interpolation, const std::vector<double>& weights,
    const std::string& three_way, const std::string& many, size_t models,
    bool repair_biases, bool verify, bool allow_nonfinite) {
  const Interpolation way = ParseInterpolation(interpolation);
  MergeSettings settings{.repair_biases = repair_biases};
  MergeModelsOptions& options = settings.options;
  options.align = align.has_value();
  if (align) {
    CheckMethod("align", *align);
    options.alignment = {*align, match};
  }
  options.jointly = models > 2 || way.jointly;
  options.many = {.method = ParseMany(many),
                  .match = match,
                  .max_rounds = match.max_passes};
  options.interpolation = way.method;
  options.shares = weights;
  options.three_way = ParseThreeWay(three_way);
  options.verify = verify;
  options.allow_nonfinite = allow_nonfinite;
  return settings;
}

}  // namespace

void BindMerge(nb::module_& module) {
  nb::class_<MergeSettings>(module, "MergeSettings", "How models are merged.");
  module.def("merge_settings", MakeSettings, nb::kw_only(),
             nb::arg("align").none(), nb::arg("match"),
             nb::arg("interpolation"), nb::arg("weights"), nb::arg("three_way"),
             nb::arg("many"), nb::arg("models"), nb::arg("repair_biases"),
             nb::arg("verify"), nb::arg("allow_nonfinite"));
  nb::class_<Merged>(module, "Merged", "A merged model and its report.")
      .def_ro("weights", &Merged::weights)
      .def_ro("alignments", &Merged::alignments)
      .def_ro("match", &Merged::match)
      .def_ro("many", &Merged::many)
      .def_ro("proofs", &Merged::proofs)
      .def_ro("adds_changes", &Merged::adds_changes)
      .def_ro("three_way", &Merged::three_way)
      .def_ro("taken", &Merged::taken);
  module.def("merge", MergeModels, nb::arg("models"), nb::arg("has_base"),
             nb::arg("settings"), nb::arg("run"));
  module.def("merge_aligned", MergeAligned, nb::arg("models"),
             nb::arg("alignments"), nb::arg("settings"), nb::arg("run"));
}

}  // namespace rebasin::python
