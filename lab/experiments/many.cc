// Table 3 and Figure 10: many networks merged into one.

#include "lab/blocks.h"
#include "lab/experiments/experiments.h"
#include "lab/pair.h"
#include "lab/recipes.h"
#include "lab/reliability.h"
#include "lab/verdicts.h"

namespace rebasin::lab {
namespace {

constexpr int64_t kPaperHalves = 32;

struct Family {
  std::string name;
  std::string model;
  const Task* task = nullptr;
  std::string shortened;
  std::vector<Checkpoint> models;
};

Evaluations Measured(Lab& lab, const Family& family, const std::string& key,
                     const std::vector<Checkpoint>& models) {
  return EvaluateOnAll(lab, *family.task, family.model,
                       family.name + ", " + key, models);
}

Checkpoint MeanOf(const std::vector<Checkpoint>& models,
                  const std::vector<Alignment>* alignments = nullptr) {
  std::vector<MergeInput> inputs;
  for (size_t i = 0; i < models.size(); ++i) {
    inputs.push_back(
        {&models[i], alignments == nullptr ? nullptr : &(*alignments)[i]});
  }
  return Merge(inputs);
}

Checkpoint Merged(Lab& lab, const Family& family, ManyMethod method) {
  ManyOptions options;
  options.method = method;
  const ManyResult found =
      MatchMany(family.models, lab.SymmetryOf(family.model), options,
                lab.RunFor("merging " + family.name));
  return MeanOf(family.models, &found.alignments);
}

// Parents first, then merges.
std::vector<NamedEvaluation> Measure(Lab& lab, const Family& family) {
  std::vector<NamedEvaluation> all;
  for (size_t i = 0; i < family.models.size(); ++i) {
    const std::string name = "network " + std::to_string(i + 1);
    all.push_back({name, Measured(lab, family, name, {family.models[i]})});
  }
  all.push_back(
      {"naive mean", Measured(lab, family, "naive", {MeanOf(family.models)})});
  all.push_back(
      {"MergeMany", Measured(lab, family, "MergeMany",
                             {Merged(lab, family, ManyMethod::kMergeMany)})});
  all.push_back(
      {"consistent", Measured(lab, family, "consistent",
                              {Merged(lab, family, ManyMethod::kConsistent)})});
  all.push_back({"ensemble", Measured(lab, family, "ensemble", family.models)});
  return all;
}

Family TrainFamily(Lab& lab, const std::string& name, int64_t count,
                   bool halves) {
  const Task& mnist = lab.Mnist();
  Training training = MnistMlp(lab, mnist);
  Family family{name, training.model, &mnist, training.shortened, {}};
  for (int64_t i = 0; i < count; ++i) {
    training.recipe.seed = NetworkSeed(lab, i);
    if (halves) {
      training.subset = "half " + std::to_string(training.recipe.seed);
      training.train =
          SelectFraction(mnist.data.train, 0.5, training.recipe.seed);
    }
    family.models.push_back(lab.Train(mnist, training));
  }
  return family;
}

std::vector<NamedNumber> Parents(const std::vector<NamedEvaluation>& all,
                                 size_t count, double Evaluation::*part) {
  std::vector<NamedNumber> numbers;
  for (size_t i = 0; i < count; ++i) {
    numbers.push_back({all[i].name, all[i].on.test.*part});
  }
  return numbers;
}

// Parents come first, then the naive mean, the merged ones and the ensemble.
std::vector<Claim> LossClaims(const std::string& name,
                              const std::vector<NamedEvaluation>& all,
                              size_t count) {
  const NamedNumber merged = {"merged", all[count + 1].on.test.loss};
  return {LowerThanAll(name + ": the merged network (MergeMany) has a lower "
                              "test loss than each of its parents.",
                       merged, Parents(all, count, &Evaluation::loss)),
          LowerThanAll(name + ": without matching the mean is worse (test "
                              "loss).",
                       merged, {{"naive mean", all[count].on.test.loss}})};
}

std::vector<Claim> CalibrationClaims(const std::string& name,
                                     const std::vector<NamedEvaluation>& all,
                                     size_t count) {
  const auto error = [&](size_t i, const char* label) {
    return NamedNumber{label, all[i].on.test.calibration_error};
  };
  const NamedNumber merged = error(count + 1, "merged");
  return {
      LowerThanAll(name + ": the merged network is better calibrated than each "
                          "of its parents (test data).",
                   merged, Parents(all, count, &Evaluation::calibration_error)),
      OnPar(name + ": it is calibrated as well as the ensemble (test data).",
            merged, error(count + 3, "ensemble"))};
}

using MakeClaims = std::vector<Claim> (*)(
    const std::string& name, const std::vector<NamedEvaluation>& all,
    size_t count);

void Add(Lab& lab, Document& document, const std::string& file,
         const Family& family, const std::vector<MakeClaims>& kinds) {
  const auto all = Measure(lab, family);
  const size_t count = family.models.size();
  for (const MakeClaims make : kinds) {
    for (const Claim& claim : make(family.name, all, count)) {
      document.claims.push_back(AtSize(claim, family.shortened));
    }
  }
  document.blocks.push_back(EvaluationTable(file, family.name, all,
                                            family.task->data.test.classes()));
  document.blocks.push_back(ReliabilityPlot(
      file + "-calibration", family.name,
      {all[0], all[count + 1], all[count + 2], all[count + 3]}));
}

}  // namespace

Document RunMany(Lab& lab) {
  Document document{
      .title = "Many networks",
      .question =
          "Can many networks be merged into one that is better than "
          "each of them?"};
  if (lab.Wants("five")) {
    Add(lab, document, "five",
        TrainFamily(lab, "5 MLPs on MNIST", 5, /*halves=*/false), {LossClaims});
  }
  if (lab.Wants("halves")) {
    const int64_t count = lab.ForPreset(int64_t{8}, kPaperHalves, kPaperHalves);
    Family family = TrainFamily(
        lab, std::to_string(count) + " MLPs on MNIST, each on a random half",
        count, /*halves=*/true);
    if (count < kPaperHalves) {
      if (!family.shortened.empty()) family.shortened += ", ";
      family.shortened += std::to_string(count) + " of " +
                          std::to_string(kPaperHalves) + " networks";
    }
    Add(lab, document, "halves", family, {LossClaims, CalibrationClaims});
  }
  return document;
}

}  // namespace rebasin::lab
