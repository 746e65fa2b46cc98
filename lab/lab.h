// The laboratory: what experiments work with. Data, networks trained from
// nothing or taken from the cache, and measurements that are made once.
//
// An experiment that is interrupted goes on where it was: networks resume
// their training, and what was measured is remembered in the report's folder.

#ifndef REBASIN_LAB_LAB_H_
#define REBASIN_LAB_LAB_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"
#include "rebasin/nn/data.h"
#include "rebasin/nn/train.h"
#include "rebasin/symmetry.h"

namespace rebasin::lab {

using Json = nlohmann::ordered_json;

enum class Preset {
  kQuick,  // two cores, minutes
  kFull,   // two cores, hours
  kPaper,  // the paper's sizes; a GPU
};

struct LabOptions {
  Preset preset = Preset::kQuick;
  std::filesystem::path folder = {};  // of the report
  std::filesystem::path cache = {};   // of trained networks
  // Where data sets lie; empty: not there.
  std::filesystem::path mnist = {}, cifar10 = {}, imagenet = {};
  // Two networks that were trained on ImageNet elsewhere; empty: not there.
  std::vector<std::filesystem::path> imagenet_networks = {};
  DataOptions data = {};
  ComputeOptions compute = {};
  Run run = {};
};

struct Task {
  std::string name = {};  // "MNIST"
  DataSplits data = {};
  std::string normalize = {};
  Normalization normalization = {};
};

// A network and how it comes about. `subset` is the name of what `train` was
// selected by; empty if it is all of the task's.
struct Training {
  std::string model = {};  // of the zoo
  Recipe recipe = {};
  Dataset train = {};
  std::string subset = {};
};

class Lab {
 public:
  explicit Lab(LabOptions options);

  const LabOptions& options() const { return options_; }
  // How to compute what is measured: networks may learn with rounded products,
  // but their losses are compared to the third digit.
  ComputeOptions Measuring() const;
  uint64_t seed() const { return options_.run.seed; }
  // For what takes part in an experiment without reporting progress.
  Run QuietRun() const { return options_.run.WithoutProgress(); }
  // The same, with progress that is reported as `what`: "MNIST: weights".
  Run RunFor(const std::string& what) const;
  // What the preset chooses.
  template <typename T>
  T By(T quick, T full, T paper) const {
    if (options_.preset == Preset::kQuick) return quick;
    return options_.preset == Preset::kFull ? full : paper;
  }

  // Throw Error(kUsage) if the data set is not there.
  const Task& Mnist();
  const Task& Cifar10();
  const Task& ImageNet();

  // The graph of a model of the zoo, and its symmetries.
  std::shared_ptr<const Graph> GraphOf(const std::string& model);
  std::shared_ptr<const Symmetry> SymmetryOf(const std::string& model);

  // The trained network, from the cache if it is there.
  Checkpoint Train(const Task& task, const Training& training);
  // The network after each of these epochs.
  std::vector<Checkpoint> TrainKeeping(const Task& task,
                                       const Training& training,
                                       const std::vector<int64_t>& epochs);

  // What `measure` gives, or gave when this was asked for under the same key
  // and the same circumstances before.
  Json Once(const std::string& key, const std::function<Json()>& measure);

  // Reports progress. Throws Error(kStopped) if the experiment is to stop; all
  // that was done is kept.
  void Say(const std::string& what, int64_t done = 0, int64_t all = 0) const;

  // Forgets what was measured; for when the report is written.
  void CleanUp() const;

  // Data sets that were used, for the report.
  const std::vector<std::string>& used_data() const { return used_data_; }

 private:
  struct Source;
  const Task& Open(Task& task, const std::filesystem::path& path,
                   const Source& source);
  std::string Describe(const Task& task, const Training& training);
  std::filesystem::path CachePath(const std::string& description) const;
  void RunTraining(const Task& task, const Training& training,
                   const std::string& description,
                   const std::vector<int64_t>& epochs);

  LabOptions options_;
  Task mnist_, cifar10_, imagenet_;
  std::vector<std::string> used_data_;
  std::map<std::string, std::shared_ptr<const Graph>> graphs_;
  std::map<std::string, std::shared_ptr<const Symmetry>> symmetries_;
};

// "quick", "full", "paper".
const char* PresetName(Preset preset);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_LAB_H_
