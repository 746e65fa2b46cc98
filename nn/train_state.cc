#include "nn/train_state.h"

#include <ATen/ops/empty.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "nn/tensors.h"
#include "rebasin/error.h"
#include "rebasin/repair.h"

namespace rebasin::nn {
namespace {

using Json = nlohmann::ordered_json;

// Frameworks do not use colons in names of weights.
constexpr const char* kFirst = "rebasin:optimizer.first";
constexpr const char* kSecond = "rebasin:optimizer.second";
constexpr const char* kTraining = "rebasin.training";
constexpr const char* kProgress = "rebasin.progress";
constexpr const char* kNotes = "rebasin.notes";

Tensor Flat(const char* name, const at::Tensor& numbers) {
  return MakeTensor(
      name, {numbers.numel()},
      {numbers.data_ptr<float>(), static_cast<size_t>(numbers.numel())});
}

at::Tensor ReadFlat(const Checkpoint& state, const char* name, int64_t size,
                    const std::filesystem::path& path) {
  const Tensor* tensor = state.Find(name);
  if (tensor == nullptr || tensor->shape != Shape{size} ||
      tensor->dtype != DType::kF32) {
    throw Error(ErrorCode::kBadInput, Quoted(path.string()) +
                                          " is not the state of a training: " +
                                          name + " is missing or damaged");
  }
  at::Tensor numbers = at::empty({size});
  CopyNumbers(*tensor, numbers);
  return numbers;
}

std::string Metadata(const Checkpoint& state, const char* key,
                     const std::filesystem::path& path) {
  const auto found = state.metadata().find(key);
  if (found != state.metadata().end()) return found->second;
  throw Error(ErrorCode::kBadInput,
              Quoted(path.string()) + " is not the state of a training");
}

struct Standing {
  TrainingPosition position;
  int64_t steps = 0;
};

// Returns nothing if numbers are missing or invalid.
std::optional<Standing> ParseStanding(const std::string& text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  try {
    const Standing found{.position = {.epoch = json.at("epoch"),
                                      .batch = json.at("batch"),
                                      .loss_sum = json.at("loss_sum"),
                                      .correct = json.at("correct"),
                                      .seen = json.at("seen")},
                         .steps = json.at("steps")};
    const TrainingPosition& at = found.position;
    const bool sound = at.epoch >= 0 && at.batch >= 0 && at.seen >= 0 &&
                       found.steps >= at.batch;
    return sound ? std::optional(found) : std::nullopt;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::string DescribeTraining(const Recipe& recipe, const Graph& graph,
                             const Dataset& data,
                             const Normalization& normalization,
                             const ComputeOptions& compute, int threads) {
  const Augmentation& augmentation = recipe.augmentation;
  Json weights = Json::object();
  for (ValueId id : graph.weights()) {
    weights[graph.values()[id].name] = graph.values()[id].shape;
  }
  return Json{
      {"optimizer", recipe.optimizer == OptimizerKind::kSgd ? "sgd" : "adam"},
      {"learning_rate", recipe.learning_rate},
      {"momentum", recipe.momentum},
      {"weight_decay", recipe.weight_decay},
      {"warmup_epochs", recipe.warmup_epochs},
      {"warmup_start", recipe.warmup_start},
      {"schedule",
       recipe.schedule == Schedule::kCosine ? "cosine" : "constant"},
      {"epochs", recipe.epochs},
      {"batch_size", recipe.batch_size},
      {"augmentation",
       {augmentation.min_scale, augmentation.max_scale, augmentation.degrees,
        augmentation.flip, augmentation.crop}},
      {"seed", recipe.seed},
      {"data", {data.name(), data.size(), data.example_shape()}},
      {"normalization", {normalization.mean, normalization.deviation}},
      {"precision", static_cast<int>(compute.precision)},
      // Threads change the order of sums only if batches cannot be split.
      {"threads", HasBatchNorm(graph) ? threads : 0},
      {"weights", std::hash<std::string>()(weights.dump())},
  }
      .dump();
}

void SaveState(const std::filesystem::path& path,
               const std::string& description, const TrainingPosition& position,
               const Weights& weights, const Optimizer& optimizer,
               const StateNotes& notes) {
  std::vector<Tensor> tensors =
      weights.ToCheckpoint(std::map<std::string, std::string>{}).tensors();
  tensors.push_back(Flat(kFirst, optimizer.first()));
  if (optimizer.second().defined()) {
    tensors.push_back(Flat(kSecond, optimizer.second()));
  }
  const Json json{
      {"epoch", position.epoch},       {"batch", position.batch},
      {"loss_sum", position.loss_sum}, {"correct", position.correct},
      {"seen", position.seen},         {"steps", optimizer.steps()}};
  std::map<std::string, std::string> metadata = {{kTraining, description},
                                                 {kProgress, json.dump()}};
  if (!notes.text.empty()) metadata[kNotes] = notes.text;
  tensors.insert(tensors.end(), notes.tensors.begin(), notes.tensors.end());
  SaveCheckpoint(Checkpoint(std::move(tensors), std::move(metadata)), path,
                 {.force = true});
}

TrainingPosition LoadState(const std::filesystem::path& path,
                           const std::string& description,
                           const std::shared_ptr<const Graph>& graph,
                           Weights& weights, Optimizer& optimizer,
                           StateNotes* notes) {
  const Checkpoint state = Checkpoint::Open(path);
  if (Metadata(state, kTraining, path) != description) {
    throw Error(ErrorCode::kMismatch,
                Quoted(path.string()) +
                    " is the state of another run (recipe, data, "
                    "architecture or number of threads)",
                "repeat the command that was interrupted, or remove the file");
  }
  const auto standing = ParseStanding(Metadata(state, kProgress, path));
  if (!standing) {
    throw Error(
        ErrorCode::kBadInput,
        Quoted(path.string()) + " is not a complete state of a training");
  }
  weights.flat().copy_(Weights(graph, state).flat());
  optimizer.Restore(ReadFlat(state, kFirst, weights.trained(), path),
                    optimizer.second().defined()
                        ? ReadFlat(state, kSecond, weights.trained(), path)
                        : at::Tensor(),
                    standing->steps);
  if (notes != nullptr) {
    *notes = {.tensors = state.tensors(),
              .text = Metadata(state, kNotes, path)};
  }
  return standing->position;
}

}  // namespace rebasin::nn
