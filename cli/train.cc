// rebasin train: trains a network from random weights.

#include "rebasin/nn/train.h"

#include <chrono>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/data_flags.h"
#include "cli/interrupt.h"
#include "cli/model_output.h"
#include "cli/networks.h"
#include "cli/option_adder.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/structure.h"
#include "onnx/onnx.h"
#include "rebasin/error.h"
#include "rebasin/version.h"
#include "rebasin/zoo.h"

namespace rebasin::cli {
namespace fs = std::filesystem;
namespace {

constexpr int kNegative = 1;

struct Flags {
  std::string output, start;
  std::string recipe, optimizer, rate, momentum, decay, warmup, schedule;
  std::string epochs, batch, init, augment, save_every;
  bool resume = false;
  StructureFlags structure;
  DataFlags data;
  SubsetFlags subset;
  ComputeFlags compute;
};

Recipe MakeRecipe(const Flags& flags, const std::string& model,
                  const Context& context) {
  Recipe recipe =
      NamedRecipe(flags.recipe.empty() ? RecipeNameFor(model) : flags.recipe);
  recipe.seed = context.seed;
  Override<OptimizerKind>(
      "--optimizer", flags.optimizer,
      {{"sgd", OptimizerKind::kSgd}, {"adam", OptimizerKind::kAdam}},
      &recipe.optimizer);
  Override("--lr", flags.rate, &recipe.learning_rate);
  Override("--momentum", flags.momentum, &recipe.momentum);
  Override("--weight-decay", flags.decay, &recipe.weight_decay);
  Override("--warmup", flags.warmup, &recipe.warmup_epochs);
  Override<Schedule>(
      "--schedule", flags.schedule,
      {{"constant", Schedule::kConstant}, {"cosine", Schedule::kCosine}},
      &recipe.schedule);
  Override("--epochs", flags.epochs, &recipe.epochs);
  Override("--batch-size", flags.batch, &recipe.batch_size);
  Override<Initialization>("--init", flags.init,
                           {{"kaiming", Initialization::kKaiming},
                            {"lecun", Initialization::kLecun}},
                           &recipe.initialization);
  bool augment = recipe.augmentation.any();
  Override<bool>("--augment", flags.augment, {{"none", false}, {"paper", true}},
                 &augment);
  recipe.augmentation = augment ? PaperAugmentation() : Augmentation{};
  return recipe;
}

class TrainCommand {
 public:
  TrainCommand(const Flags& flags, const Context& context)
      : flags_(flags), context_(context), console_(context), bar_(console_) {}

  int Run() {
    Prepare();
    if (context_.dry_run) return DryRun();
    const InterruptGuard guard;
    begin_ = std::chrono::steady_clock::now();
    const TrainResult result =
        Train(structure_->graph, data_.splits, options_, TrainingRun());
    bar_.Clear();
    return Finish(result);
  }

 private:
  void Prepare() {
    data_ = flags_.data.Open(console_);
    if (data_.splits.train.empty()) {
      throw Error(ErrorCode::kMismatch,
                  Quoted(flags_.data.data) + " has no training part",
                  "give a folder with a training and a test set");
    }
    data_.splits.train = flags_.subset.Select(data_.splits.train);
    StructureFlags model = flags_.structure;
    model.model = FitToData(model.model, data_.splits.train);
    if (model.model.empty()) {
      throw Error(ErrorCode::kUsage, "--model is missing",
                  "name an architecture; `rebasin zoo` lists them");
    }
    structure_ = DescribeStructure(model.Options(), RunFor(console_));
    if (!flags_.start.empty()) {
      start_ = OpenWeights(flags_.start, context_, console_);
      options_.start = &*start_;
    }
    options_.recipe = MakeRecipe(flags_, model.model, context_);
    options_.compute = flags_.compute.Options();
    options_.normalization = data_.normalization;
    metadata_ = {
        {kModelKey, IsOnnx(model.model) ? model.model : ZooText(model.model)},
        {kNormalizeKey, data_.normalize},
        {"rebasin.version", REBASIN_VERSION}};
    PrepareFiles();
    options_.on_epoch = [this](const EpochReport& epoch) { ShowEpoch(epoch); };
  }

  void PrepareFiles() {
    const Checkpoint sketch = InitialWeights(
        *structure_->graph, options_.recipe.initialization, context_.seed);
    CheckModelOutput(Output(flags_.output, context_.force), sketch, context_);
    const StateFile state =
        StateFileFor(flags_.output, flags_.resume, context_.force, console_);
    options_.state_file = state.path;
    options_.resume = state.resume;
    Override("--save-every", flags_.save_every, &options_.save_every);
    options_.save = [this](int64_t epoch, const Checkpoint& model) {
      fs::path path = flags_.output;
      path.replace_extension(".epoch" + std::to_string(epoch) +
                             path.extension().string());
      WriteModel(Output(path, /*force=*/true), Named(model), RunFor(console_));
    };
  }

  // The format is that of the final output, also for the files of earlier
  // epochs.
  ModelOutput Output(const fs::path& path, bool force) const {
    return {.path = path,
            .format = FormatFor(flags_.output),
            .write = {.force = force}};
  }

  Checkpoint Named(const Checkpoint& model) const {
    return Checkpoint(model.tensors(), metadata_);
  }

  int DryRun() {
    console_.Result("dry run: " + Describe() + "\n", {{"command", "train"}});
    return 0;
  }

  std::string Describe() const {
    const Recipe& recipe = options_.recipe;
    return structure_->name + " on " + data_.splits.train.name() + ", " +
           Count(data_.splits.train.size(), "example") + ", " +
           (recipe.optimizer == OptimizerKind::kSgd ? "SGD" : "Adam") + " at " +
           Number(recipe.learning_rate) + ", batches of " +
           std::to_string(recipe.batch_size) + ", " +
           Count(recipe.epochs, "epoch") + ", seed " +
           std::to_string(recipe.seed);
  }

  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         begin_)
        .count();
  }

  rebasin::Run TrainingRun() {
    rebasin::Run run = RunFor(console_);
    run.progress = [this](const Progress& now) { ShowStep(now); };
    run.stop = [] { return Interrupted(); };
    return run;
  }

  void ShowStep(const Progress& now) {
    if (first_step_ < 0) first_step_ = now.done - 1;
    const auto steps = static_cast<double>(now.done - first_step_);
    const double left =
        Seconds() / steps * static_cast<double>(now.total - now.done);
    bar_.Update(now.stage + "  " + HumanSeconds(left) + " left", now.done,
                now.total);
  }

  static Json EpochJson(const EpochReport& epoch) {
    Json json = {{"epoch", epoch.epoch},
                 {"learning_rate", epoch.learning_rate},
                 {"train_loss", epoch.loss},
                 {"train_accuracy", epoch.accuracy},
                 {"seconds", epoch.seconds}};
    if (epoch.test.examples > 0) {
      json["test_loss"] = epoch.test.loss;
      json["test_accuracy"] = epoch.test.accuracy;
    }
    return json;
  }

  void ShowEpoch(const EpochReport& epoch) {
    log_.push_back(EpochJson(epoch));
    if (context_.quiet) return;
    bar_.Clear();
    std::string line = "epoch " + std::to_string(epoch.epoch) + "  loss " +
                       Number(epoch.loss) + "  accuracy " +
                       Fixed(100 * epoch.accuracy, 2) + " %";
    if (epoch.test.examples > 0) {
      line += "  test loss " + Number(epoch.test.loss) + "  accuracy " +
              Fixed(100 * epoch.test.accuracy, 2) + " %";
    }
    std::fputs((line + "  " + HumanSeconds(epoch.seconds) + "\n").c_str(),
               stderr);
  }

  Json Summary(const TrainResult& result, const char* end) const {
    return {{"command", "train"},
            {"model", structure_->name},
            {"data", data_.splits.train.name()},
            {"examples", data_.splits.train.size()},
            {"normalize", data_.normalize},
            {"seed", context_.seed},
            {"threads", context_.threads},
            {"end", end},
            {"steps", result.steps},
            {"seconds", Seconds()},
            {"epochs", log_}};
  }

  int Finish(const TrainResult& result) {
    if (result.end == TrainEnd::kStopped) {
      console_.Warn("stopped; --resume goes on from " +
                    Quoted(options_.state_file.string()));
      console_.Result("", Summary(result, "stopped"));
      return InterruptedExitCode();
    }
    WriteModel(Output(flags_.output, context_.force), Named(result.model),
               RunFor(console_));
    if (result.end == TrainEnd::kDiverged) {
      console_.Result("", Summary(result, "diverged"));
      PrintError("training diverged: the loss is not a number after step " +
                     std::to_string(result.steps),
                 "wrote the model of the last good epoch; try a lower --lr");
      return kNegative;
    }
    console_.Result(Describe() + ", " + HumanSeconds(Seconds()) + "\nwrote " +
                        Printable(flags_.output, 4096) + "\n",
                    Summary(result, "done"));
    return 0;
  }

  const Flags& flags_;
  const Context& context_;
  Console console_;
  ProgressBar bar_;
  ModelData data_;
  std::optional<Structure> structure_;
  std::optional<Checkpoint> start_;
  TrainOptions options_;
  std::map<std::string, std::string> metadata_;
  std::chrono::steady_clock::time_point begin_;
  int64_t first_step_ = -1;
  Json log_ = Json::array();
};

void AddRecipeFlags(CLI::App& command, Flags& flags) {
  const OptionAdder add(command, "Recipe");
  add("--recipe", flags.recipe,
      "Recipe of the paper: mlp, cifar-mlp, vgg or resnet; default: by the "
      "model's name",
      "WORD");
  add("--optimizer", flags.optimizer, "Optimizer: sgd or adam", "WORD");
  add("--lr", flags.rate, "Learning rate (the largest)", "X");
  add("--momentum", flags.momentum, "Momentum of SGD", "X");
  add("--weight-decay", flags.decay,
      "Weight decay: added to the gradient as this share of the weight", "X");
  add("--warmup", flags.warmup,
      "Warm-up: epochs from a rate of 1e-6 to the learning rate", "X");
  add("--schedule", flags.schedule,
      "Learning rate schedule: constant or cosine", "WORD");
  add("--epochs", flags.epochs, "Epochs", "N");
  add("--batch-size", flags.batch, "Batch size", "N");
  add("--init", flags.init,
      "Initial weights: lecun (the recipes' default) or kaiming", "WORD");
  add("--augment", flags.augment,
      "Augmentation: none, or paper (resize, crop, flip, rotate)", "WORD");
}

}  // namespace

Command AddTrain(CLI::App& program, Context& context) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = program.add_subcommand("train", kTrainDescription);
  command->add_option("-o,--output", flags->output, "The trained model")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--from", flags->start,
                   "Start with these weights; default: random ones")
      ->type_name("FILE");
  command
      ->add_option("--save-every", flags->save_every,
                   "Also write the model after every N epochs")
      ->type_name("N");
  command->add_flag("--resume", flags->resume,
                    "Resume an interrupted training");
  flags->structure.AddTo(*command, "Structure");
  flags->data.AddTo(*command);
  flags->subset.AddTo(*command);
  AddRecipeFlags(*command, *flags);
  flags->compute.AddTo(*command);
  command->footer(R"(
Ctrl-C leaves OUT.state.safetensors, from which --resume goes on to the same
bits (of a network with BatchNorm with the same number of threads).

Examples:
  rebasin train --model mlp --data data/digits --epochs 30 -o a.safetensors
  rebasin train --model resnet20:width=2 --data cifar10 --seed 1 \
      -o b.safetensors)");
  return {command,
          [flags, &context] { return TrainCommand(*flags, context).Run(); }};
}

}  // namespace rebasin::cli
