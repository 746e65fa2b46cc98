// The state of a training that is needed to continue bitwise exactly, as one
// safetensors file: the weights by name, the state of the optimiser, and, in
// the metadata, the position and a description of the training.

#ifndef REBASIN_NN_TRAIN_STATE_H_
#define REBASIN_NN_TRAIN_STATE_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "nn/optimizer.h"
#include "nn/weights.h"
#include "rebasin/nn/train.h"

namespace rebasin::nn {

// The position of a training. Sums are over the current epoch, or since the
// last report.
struct TrainingPosition {
  int64_t epoch = 0;
  int64_t batch = 0;
  double loss_sum = 0;
  int64_t correct = 0;
  int64_t seen = 0;
};

// Describes everything on which a training depends, as text. Two trainings are
// the same if and only if their texts are equal.
std::string DescribeTraining(const Recipe& recipe, const Graph& graph,
                             const Dataset& data,
                             const Normalization& normalization,
                             const ComputeOptions& compute, int threads);

// Additional state of a caller.
struct StateNotes {
  std::vector<Tensor> tensors = {};  // names start with "rebasin:"
  std::string text = {};
};

void SaveState(const std::filesystem::path& path,
               const std::string& description, const TrainingPosition& position,
               const Weights& weights, const Optimizer& optimizer,
               const StateNotes& notes = {});

// Restores a state. Throws Error(kMismatch) if it belongs to another training,
// Error(kBadInput) if the file is not a state. `notes`, if not null, receives
// all tensors of the state, which refer to the mapped file.
TrainingPosition LoadState(const std::filesystem::path& path,
                           const std::string& description,
                           const std::shared_ptr<const Graph>& graph,
                           Weights& weights, Optimizer& optimizer,
                           StateNotes* notes = nullptr);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_TRAIN_STATE_H_
