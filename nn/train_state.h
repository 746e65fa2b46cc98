// What a training must remember to go on to the same bits, as one safetensors
// file: the weights by name, the optimiser's memory, and in the metadata where
// it stands and what it is a training of.

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

// Where a training stands. The sums are those of the epoch under way, or since
// whatever else was last told.
struct TrainingPosition {
  int64_t epoch = 0;
  int64_t batch = 0;
  double loss_sum = 0;
  int64_t correct = 0;
  int64_t seen = 0;
};

// All that decides how a training goes, as text: two are the same if and only
// if this is the same.
std::string DescribeTraining(const Recipe& recipe, const Graph& graph,
                             const Dataset& data,
                             const Normalization& normalization,
                             const ComputeOptions& compute, int threads);

// What else somebody has to remember.
struct StateNotes {
  std::vector<Tensor> tensors = {};  // names begin with "rebasin:"
  std::string text = {};
};

void SaveState(const std::filesystem::path& path,
               const std::string& description, const TrainingPosition& position,
               const Weights& weights, const Optimizer& optimizer,
               const StateNotes& notes = {});

// Puts everything back. Throws Error(kMismatch) if the state is that of another
// training, Error(kBadInput) if it is no state at all. `notes`, if not null,
// receives all tensors of the state, which lie in the file's mapping.
TrainingPosition LoadState(const std::filesystem::path& path,
                           const std::string& description,
                           const std::shared_ptr<const Graph>& graph,
                           Weights& weights, Optimizer& optimizer,
                           StateNotes* notes = nullptr);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_TRAIN_STATE_H_
