// The environment of experiments: data, networks that are trained or taken from
// the cache, and measurements that are stored.
//
// An interrupted experiment continues where it stopped: networks resume
// training, and finished measurements are stored in the report's folder.

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

#include "lab/photographs.h"
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
  // Epochs of training instead of the preset's, at most the paper's; 0: the
  // preset's.
  int64_t epochs = 0;
  std::filesystem::path folder = {};  // of the report
  std::filesystem::path cache = {};   // of trained networks
  // Folders of data sets; empty: not available.
  std::filesystem::path mnist = {}, cifar10 = {}, cifar100 = {}, imagenet = {};
  // The networks to run, by the names of the experiment; empty: all.
  std::vector<std::string> only = {};
  // Two networks trained on ImageNet elsewhere; empty: not available.
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

// A network and how it is trained. `subset` names the selection of `train`;
// empty if all data of the task is used.
struct Training {
  std::string name = {};   // for readers: "VGG16 on CIFAR-10"
  std::string model = {};  // of the zoo
  Recipe recipe = {};
  // How it falls short of the paper's: "10 of 100 epochs, 1/8 of the width".
  // Empty if it does not.
  std::string shortened = {};
  Dataset train = {};
  std::string subset = {};
};

class Lab {
 public:
  explicit Lab(LabOptions options);

  const LabOptions& options() const { return options_; }
  // Precision of measurements: networks may be trained with rounded products,
  // but their losses are compared to three digits.
  ComputeOptions Measuring() const;
  uint64_t seed() const { return options_.run.seed; }
  // For parts of an experiment that report no progress.
  Run QuietRun() const { return options_.run.WithoutProgress(); }
  // With progress reported under the name `what`: "MNIST: weights".
  Run RunFor(const std::string& what) const;
  // Selects a value by preset.
  template <typename T>
  T ForPreset(T quick, T full, T paper) const {
    if (options_.preset == Preset::kQuick) return quick;
    return options_.preset == Preset::kFull ? full : paper;
  }

  // True if the network of this name is to be run.
  bool Wants(const std::string& network) const;

  // Throw Error(kUsage) if the data set is not available. Data is normalised as
  // the paper's code does: MNIST not at all, colour images as for ImageNet.
  const Task& Mnist();
  // MNIST as the paper's VGG16 sees it, at 32x32 pixels, here with the same
  // image in each of three channels.
  const Task& MnistAsColour();
  const Task& Cifar10();
  const Task& Cifar100();
  bool HasCifar100() const;
  const Task& ImageNet();

  // The graph of a model of the zoo, and its symmetries.
  std::shared_ptr<const Graph> GraphOf(const std::string& model);
  std::shared_ptr<const Symmetry> SymmetryOf(const std::string& model);

  // Where the network is stored after this epoch of its training.
  std::filesystem::path NetworkFile(const Task& task, const Training& training,
                                    int64_t epoch);
  // Returns the trained network, from the cache if possible.
  Checkpoint Train(const Task& task, const Training& training);
  // Returns the network after each of these epochs.
  std::vector<Checkpoint> TrainWithCheckpoints(
      const Task& task, const Training& training,
      const std::vector<int64_t>& epochs);

  // Returns the result of `measure`, which is stored: it runs only if there is
  // no result for this key and the same circumstances.
  Json Memoized(const std::string& key, const std::function<Json()>& measure);

  // Reports progress. Throws Error(kStopped) if the experiment should stop;
  // finished work is kept.
  void ReportProgress(const std::string& what, int64_t done = 0,
                      int64_t all = 0) const;

  // Deletes stored measurements, after the report was written.
  void CleanUp() const;

  // The data sets used so far, for the report.
  const std::vector<std::string>& used_data() const { return used_data_; }
  // The networks trained so far, and how they fall short of the paper's.
  const std::vector<std::string>& used_networks() const {
    return used_networks_;
  }

 private:
  struct Source;
  PhotographOptions Photographs() const;
  const Task& Open(Task& task, const std::filesystem::path& path,
                   const Source& source);
  std::string Describe(const Task& task, const Training& training);
  void NoteNetwork(const Training& training);
  // Without the epoch and the extension.
  std::filesystem::path CachePath(const std::string& description) const;
  void RunTraining(const Task& task, const Training& training,
                   const std::string& description,
                   const std::vector<int64_t>& epochs);

  LabOptions options_;
  Task mnist_, colour_mnist_, cifar10_, cifar100_, imagenet_;
  std::vector<std::string> used_data_, used_networks_;
  std::map<std::string, std::shared_ptr<const Graph>> graphs_;
  std::map<std::string, std::shared_ptr<const Symmetry>> symmetries_;
};

// "quick", "full", "paper".
const char* PresetName(Preset preset);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_LAB_H_
