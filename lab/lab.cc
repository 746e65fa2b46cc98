#include "lab/lab.h"

#include <algorithm>

#include "io/atomic_file.h"
#include "io/file.h"
#include "lab/digest.h"
#include "lab/images.h"
#include "lab/photographs.h"
#include "rebasin/discovery.h"
#include "rebasin/error.h"
#include "rebasin/version.h"
#include "rebasin/zoo.h"

namespace rebasin::lab {
namespace fs = std::filesystem;
namespace {

// Increased when networks with the same description are trained differently.
constexpr int kTrainingVersion = 2;

constexpr const char* kMeasured = "measured";
constexpr int64_t kLargestMeasurement = int64_t{64} << 20;

// Everything besides its key on which a measurement depends.
std::string Circumstances(const LabOptions& options) {
  return Json({{"version", REBASIN_VERSION},
               {"preset", PresetName(options.preset)},
               {"epochs", options.epochs},
               {"seed", options.run.seed},
               {"precision", static_cast<int>(options.compute.precision)},
               {"mnist", options.mnist.string()},
               {"cifar10", options.cifar10.string()},
               {"cifar100", options.cifar100.string()},
               {"imagenet", options.imagenet.string()},
               {"networks", options.imagenet_networks}})
      .dump();
}

std::string FileName(const std::string& key) {
  std::string name;
  for (const char c : key) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9') || c == '.' || c == '-';
    name += plain ? c : '_';
  }
  return name;
}

void MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw Error(ErrorCode::kIo, "cannot make the folder " +
                                    Quoted(folder.string()) + ": " +
                                    error.message());
  }
}

Json RecipeJson(const Recipe& recipe) {
  const Augmentation& augmentation = recipe.augmentation;
  return {
      {"optimizer", recipe.optimizer == OptimizerKind::kSgd ? "sgd" : "adam"},
      {"rate", recipe.learning_rate},
      {"momentum", recipe.momentum},
      {"decay", recipe.weight_decay},
      {"warmup", {recipe.warmup_epochs, recipe.warmup_start}},
      {"cosine", recipe.schedule == Schedule::kCosine},
      {"epochs", recipe.epochs},
      {"batch", recipe.batch_size},
      {"kaiming", recipe.initialization == Initialization::kKaiming},
      {"augmentation",
       {augmentation.min_scale, augmentation.max_scale, augmentation.degrees,
        augmentation.flip, augmentation.crop}},
      {"seed", recipe.seed}};
}

fs::path EpochFile(const fs::path& path, int64_t epoch) {
  return path.string() + "-" + std::to_string(epoch) + ".safetensors";
}

}  // namespace

const char* PresetName(Preset preset) {
  if (preset == Preset::kQuick) return "quick";
  return preset == Preset::kFull ? "full" : "paper";
}

Lab::Lab(LabOptions options) : options_(std::move(options)) {}

ComputeOptions Lab::Measuring() const {
  ComputeOptions exact = options_.compute;
  if (exact.precision == Precision::kBFloat16) {
    exact.precision = Precision::kFloat32;
  }
  return exact;
}

struct Lab::Source {
  std::string name;
  std::string where_from;
  std::string normalize;
  bool photographs = false;
};

bool Lab::Wants(const std::string& network) const {
  const auto& only = options_.only;
  return only.empty() ||
         std::find(only.begin(), only.end(), network) != only.end();
}

bool Lab::HasCifar100() const {
  return !options_.cifar100.empty() && fs::exists(options_.cifar100);
}

const Task& Lab::Mnist() {
  return Open(mnist_, options_.mnist,
              {"MNIST",
               "fetch it with scripts/get-data mnist FOLDER, and give --mnist "
               "FOLDER",
               "none"});
}

const Task& Lab::MnistAsColour() {
  Task& task = colour_mnist_;
  if (!task.name.empty()) return task;
  task = Mnist();
  constexpr int64_t kSide = 32;
  task.data = {.train = AsColour(Resized(task.data.train, kSide)),
               .test = AsColour(Resized(task.data.test, kSide))};
  return task;
}

const Task& Lab::Cifar10() {
  return Open(cifar10_, options_.cifar10,
              {"CIFAR-10",
               "fetch it with scripts/get-data cifar10 FOLDER, and give "
               "--cifar10 FOLDER",
               "imagenet"});
}

const Task& Lab::Cifar100() {
  return Open(cifar100_, options_.cifar100,
              {"CIFAR-100",
               "give --cifar100 FOLDER with train.bin and test.bin of its "
               "binary version",
               "imagenet"});
}

const Task& Lab::ImageNet() {
  return Open(
      imagenet_, options_.imagenet,
      {"ImageNet",
       "give --imagenet FOLDER with train and val, which have a folder of "
       "JPEG files for each class; or with train.npz and test.npz: "
       "images x of [examples, 3, height, width] bytes and labels y",
       "imagenet", /*photographs=*/true});
}

// As many as fit into the memory of the machines of each preset.
PhotographOptions Lab::Photographs() const {
  return {.most_train = ForPreset<int64_t>(1000, 5000, 50000),
          .most_test = ForPreset<int64_t>(1000, 5000, 50000)};
}

const Task& Lab::Open(Task& task, const fs::path& path, const Source& source) {
  if (!task.name.empty()) return task;
  if (path.empty() || !fs::exists(path)) {
    throw Error(ErrorCode::kUsage,
                "this experiment needs " + source.name +
                    ", and there is none at " + Quoted(path.string()),
                source.where_from);
  }
  task.data = source.photographs && HoldsPhotographs(path)
                  ? ReadPhotographs(path, Photographs(), options_.run)
                  : OpenData(path, options_.data, options_.run);
  if (task.data.train.empty() || task.data.test.empty()) {
    throw Error(ErrorCode::kMismatch, Quoted(path.string()) +
                                          " must have a training and a test "
                                          "part");
  }
  task.normalize = source.normalize;
  task.normalization = ParseNormalization(task.normalize);
  task.name = source.name;
  used_data_.push_back(task.data.train.name() + " (" +
                       std::to_string(task.data.train.size()) + "), " +
                       task.data.test.name() + " (" +
                       std::to_string(task.data.test.size()) + ")");
  return task;
}

std::shared_ptr<const Graph> Lab::GraphOf(const std::string& model) {
  auto& graph = graphs_[model];
  if (!graph) graph = std::make_shared<const Graph>(ZooGraph(model));
  return graph;
}

std::shared_ptr<const Symmetry> Lab::SymmetryOf(const std::string& model) {
  auto& symmetry = symmetries_[model];
  if (!symmetry) {
    symmetry =
        std::make_shared<const Symmetry>(Discover(*GraphOf(model)).symmetry);
  }
  return symmetry;
}

std::string Lab::Describe(const Task& task, const Training& training) {
  const Dataset& data =
      training.train.empty() ? task.data.train : training.train;
  return Json({{"version", kTrainingVersion},
               {"model", FullZooText(training.model)},
               {"data", DataDigest(data)},
               {"subset", training.subset},
               {"normalize", task.normalize},
               {"precision", static_cast<int>(options_.compute.precision)},
               {"recipe", RecipeJson(training.recipe)}})
      .dump();
}

fs::path Lab::CachePath(const std::string& description) const {
  return options_.cache / TextDigest(description);
}

fs::path Lab::NetworkFile(const Task& task, const Training& training,
                          int64_t epoch) {
  return EpochFile(CachePath(Describe(task, training)), epoch);
}

void Lab::RunTraining(const Task& task, const Training& training,
                      const std::string& description,
                      const std::vector<int64_t>& epochs) {
  MakeFolder(options_.cache);
  const fs::path path = CachePath(description);
  DataSplits data = task.data;
  if (!training.train.empty()) data.train = training.train;
  data.test = {};
  const auto save = [&](int64_t epoch, const Checkpoint& model) {
    if (std::find(epochs.begin(), epochs.end(), epoch) == epochs.end()) return;
    SaveCheckpoint(
        Checkpoint(model.tensors(), {{"rebasin.model", training.model},
                                     {"rebasin.normalize", task.normalize},
                                     {"rebasin.training", description}}),
        EpochFile(path, epoch), {.force = true});
  };
  TrainOptions options{.recipe = training.recipe,
                       .compute = options_.compute,
                       .normalization = task.normalization};
  options.state_file = path.string() + ".state.safetensors";
  options.resume = fs::exists(options.state_file);
  options.save_every = 1;
  options.save = save;
  const TrainResult result =
      rebasin::Train(GraphOf(training.model), data, options,
                     RunFor("training " + training.model + " on " + task.name +
                            ", seed " + std::to_string(training.recipe.seed)));
  if (result.end == TrainEnd::kStopped) {
    throw Error(ErrorCode::kStopped, "stopped");
  }
  if (result.end == TrainEnd::kDiverged) {
    throw Error(ErrorCode::kBadInput,
                "training of " + training.model + " diverged");
  }
}

void Lab::NoteNetwork(const Training& training) {
  const std::string text =
      training.name + (training.shortened.empty()
                           ? ": as in the paper"
                           : ": shortened: " + training.shortened);
  auto& used = used_networks_;
  if (training.name.empty() ||
      std::find(used.begin(), used.end(), text) != used.end()) {
    return;
  }
  used.push_back(text);
}

std::vector<Checkpoint> Lab::TrainWithCheckpoints(
    const Task& task, const Training& training,
    const std::vector<int64_t>& epochs) {
  NoteNetwork(training);
  const std::string description = Describe(task, training);
  const auto path = [&](int64_t epoch) {
    return EpochFile(CachePath(description), epoch);
  };
  const bool all =
      std::all_of(epochs.begin(), epochs.end(),
                  [&](int64_t epoch) { return fs::exists(path(epoch)); });
  if (!all) RunTraining(task, training, description, epochs);
  std::vector<Checkpoint> models;
  for (const int64_t epoch : epochs) {
    models.push_back(Checkpoint::Open(path(epoch)));
  }
  return models;
}

Checkpoint Lab::Train(const Task& task, const Training& training) {
  return TrainWithCheckpoints(task, training, {training.recipe.epochs}).front();
}

Json Lab::Memoized(const std::string& key,
                   const std::function<Json()>& measure) {
  ReportProgress(key);
  const fs::path folder = options_.folder / kMeasured;
  const std::string circumstances = Circumstances(options_);
  const fs::path path =
      folder / (FileName(key) + "-" + TextDigest(circumstances) + ".json");
  if (fs::exists(path)) {
    const Json known = Json::parse(ReadSmallFile(path, kLargestMeasurement),
                                   nullptr, /*allow_exceptions=*/false);
    if (known.is_object() && known.contains("value") &&
        known.value("circumstances", "") == circumstances) {
      return known["value"];
    }
  }
  Json value = measure();
  MakeFolder(folder);
  WriteWholeFile(
      path,
      Json({{"key", key}, {"circumstances", circumstances}, {"value", value}})
          .dump(1),
      /*force=*/true);
  return value;
}

void Lab::ReportProgress(const std::string& what, int64_t done,
                         int64_t all) const {
  options_.run.Report(what, done, all);
}

Run Lab::RunFor(const std::string& what) const {
  return options_.run.WithStagePrefix(what + ": ");
}

void Lab::CleanUp() const {
  std::error_code ignored;
  fs::remove_all(options_.folder / kMeasured, ignored);
}

}  // namespace rebasin::lab
