#include "lab/experiment.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "base/text.h"
#include "lab/experiments/experiments.h"
#include "rebasin/error.h"
#include "rebasin/version.h"

namespace rebasin::lab {
namespace {

constexpr Experiment kExperiments[] = {
    {"symmetries", "Table 1", "how many settings of weights are one function",
     RunSymmetries},
    {"contour", "Figure 1", "the loss over the plane through A, B, permuted B",
     RunContour, "mnist-mlp cifar-mlp"},
    {"interpolation", "Figure 2", "loss and accuracy between two networks",
     RunInterpolation,
     "mnist-mlp cifar-mlp cifar-mlp-adam cifar-vgg16 cifar-resnet20 "
     "cifar-resnet20-batch"},
    {"onset", "Figure 3", "the barrier against the epoch of training", RunOnset,
     "mnist-mlp cifar-mlp"},
    {"width", "Figure 4", "the barrier against the width of the networks",
     RunWidth, "mnist-mlp cifar-vgg16 cifar-resnet20"},
    {"split", "Figures 5, 8, 9", "networks of disjoint, biased data, merged",
     RunSplit},
    {"counterexample", "Section 4", "two networks that nothing connects",
     RunCounterexample},
    {"greedy", "appendix", "one pass over the layers against all it takes",
     RunGreedy},
    {"recovery", "appendix", "planted permutations found again", RunRecovery},
    {"timing", "appendix", "seconds and memory of weight matching", RunTiming},
    {"many", "Table 3, Figure 10", "many networks merged into one", RunMany,
     "five halves"},
    {"steepest", "appendix", "an idea that failed", RunSteepest},
    {"norms", "appendix", "batch, layer, instance and group norms merged",
     RunNorms},
    {"failures", "appendix", "where matching is known to fail", RunFailures,
     "usual narrow early slow-sgd fast-adam deep vgg16 convnext"},
};

// "model name	: Some CPU" of /proc/cpuinfo.
std::string ProcessorName() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

std::string MachineText(const LabOptions& options) {
  const int threads =
      options.run.threads > 0
          ? options.run.threads
          : static_cast<int>(std::thread::hardware_concurrency());
  return ProcessorName() + ", " + Count(threads, "thread");
}

std::string Joined(const std::vector<std::string>& texts,
                   const std::string& between) {
  std::string all;
  for (const std::string& text : texts) {
    all += (all.empty() ? "" : between) + text;
  }
  return all;
}

bool IsAmong(const std::string& word, const std::string& words) {
  return (" " + words + " ").find(" " + word + " ") != std::string::npos;
}

void CheckNetworks(const Experiment& experiment,
                   const std::vector<std::string>& only) {
  const std::string known = experiment.networks;
  for (const std::string& name : only) {
    if (IsAmong(name, known)) continue;
    throw Error(
        ErrorCode::kUsage,
        std::string("the experiment ") + experiment.name + " has no network " +
            Quoted(name),
        known.empty() ? "it always runs as a whole" : "there are: " + known);
  }
}

void AddListFact(Document& document, const char* name,
                 const std::vector<std::string>& texts) {
  if (!texts.empty()) document.facts.push_back({name, Joined(texts, "; ")});
}

}  // namespace

std::span<const Experiment> Experiments() { return kExperiments; }

const Experiment& FindExperiment(const std::string& name) {
  std::string names;
  for (const Experiment& experiment : kExperiments) {
    if (name == experiment.name) return experiment;
    names += std::string(names.empty() ? "" : ", ") + experiment.name;
  }
  throw Error(ErrorCode::kUsage, "there is no experiment " + Quoted(name),
              "there are " + names);
}

Document RunExperiment(const Experiment& experiment, Lab& lab,
                       const std::string& command) {
  CheckNetworks(experiment, lab.options().only);
  const auto begin = std::chrono::steady_clock::now();
  Document document = experiment.run(lab);
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  document.facts = {
      {"command", command},
      {"paper", std::string("Git Re-Basin (Ainsworth, Hayase, Srinivasa, ICLR "
                            "2023), ") +
                    experiment.paper},
      {"preset", PresetName(lab.options().preset)},
      {"seed", std::to_string(lab.seed())},
      {"version", "rebasin " REBASIN_VERSION},
      {"machine", MachineText(lab.options())},
      {"time", HumanSeconds(seconds.count())}};
  AddListFact(document, "data", lab.used_data());
  AddListFact(document, "networks", lab.used_networks());
  return document;
}

}  // namespace rebasin::lab
