// rebasin eval: evaluates models on data.

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/data_flags.h"
#include "cli/judgement.h"
#include "cli/networks.h"
#include "cli/progress.h"
#include "cli/structure.h"
#include "rebasin/error.h"
#include "rebasin/nn/evaluate.h"
#include "rebasin/nn/judge.h"

namespace rebasin::cli {
namespace {

struct Flags {
  std::vector<std::string> models, parents;
  std::string part = "test";
  std::string batch = "0", bins = "15";
  bool ensemble = false;
  StructureFlags structure;
  DataFlags data;
  ComputeFlags compute;
};

const Dataset& PartOf(const DataSplits& splits, const std::string& part) {
  const bool train =
      ParseChoice<bool>("--part", part, {{"train", true}, {"test", false}});
  const Dataset& data = train ? splits.train : splits.test;
  if (data.empty()) {
    throw Error(ErrorCode::kMismatch, "the data has no " + part + " part");
  }
  return data;
}

Json ToJson(const Evaluation& result) {
  Json bins = Json::array();
  for (const ReliabilityBin& bin : result.bins) {
    bins.push_back({{"count", bin.count},
                    {"confidence", bin.confidence},
                    {"accuracy", bin.accuracy}});
  }
  return {{"examples", result.examples},
          {"loss", result.loss},
          {"accuracy", result.accuracy},
          {"top5", result.top5},
          {"calibration_error", result.calibration_error},
          {"temperature", result.temperature},
          {"calibrated_loss", result.calibrated_loss},
          {"bins", std::move(bins)}};
}

std::vector<std::string> Row(const std::string& name,
                             const Evaluation& result) {
  return {name,
          Number(result.loss),
          Percent(result.accuracy),
          result.top5 > 0 ? Percent(result.top5) : "-",
          Percent(result.calibration_error),
          Number(result.temperature, 3),
          Number(result.calibrated_loss)};
}

// Accuracy over confidence, as a text chart.
std::string ReliabilityText(const Evaluation& result) {
  Table table("rrrr", {"confidence", "examples", "mean", "accuracy"});
  const auto bins = static_cast<double>(result.bins.size());
  for (size_t b = 0; b < result.bins.size(); ++b) {
    const ReliabilityBin& bin = result.bins[b];
    if (bin.count == 0) continue;
    table.Add({Fixed(static_cast<double>(b) / bins, 2) + " to " +
                   Fixed(static_cast<double>(b + 1) / bins, 2),
               Grouped(bin.count), Percent(bin.confidence),
               Percent(bin.accuracy)});
  }
  return table.Text();
}

class EvalCommand {
 public:
  EvalCommand(const Flags& flags, const Context& context)
      : flags_(flags), console_(context), progress_(console_) {}

  int Run() {
    if (flags_.parents.size() == 1) {
      throw Error(ErrorCode::kUsage, "--parents takes two models or more");
    }
    Open();
    const Dataset& data = PartOf(opened_.splits, flags_.part);
    const std::string evaluated = EvaluateModels(data);
    const std::string judged = JudgeModels(data);
    progress_.Clear();
    console_.Result(RecognisedText(structure_) + opened_.Describe(data) + ", " +
                        Count(data.size(), "example") + "\n" + evaluated +
                        judged,
                    std::move(json_));
    return 0;
  }

 private:
  void Open() {
    ModelOptions options = ModelOptionsFor(
        flags_.structure, StructureNeed::kGraph, console_.context());
    options.same_tensors = false;
    std::vector<std::string> paths = flags_.models;
    paths.insert(paths.end(), flags_.parents.begin(), flags_.parents.end());
    std::vector<const Checkpoint*> pointers;
    const std::vector<Model> opened = OpenModels(paths, options, console_);
    structure_ = opened.front().structure;
    for (size_t m = 0; m < opened.size(); ++m) {
      (m < flags_.models.size() ? models_ : parents_)
          .push_back(opened[m].weights);
      pointers.push_back(&opened[m].weights);
    }
    opened_ = flags_.data.Open(console_, pointers);
    options_ = {
        .compute = flags_.compute.Options(),
        .normalization = opened_.normalization,
        .batch_size = ParseInteger("--batch-size", flags_.batch, 0, 1 << 24),
        .bins = static_cast<int>(ParseInteger("--bins", flags_.bins, 1, 10000)),
        .find_temperature = true};
  }

  std::string EvaluateModels(const Dataset& data) {
    Table table("lrrrrrr", {"model", "loss", "top-1", "top-5", "ECE",
                            "temperature", "loss at temperature"});
    Json results = Json::array();
    Evaluation last;
    for (size_t m = 0; m < models_.size(); ++m) {
      last = Evaluate(structure_.graph, models_[m], data, options_, run_);
      table.Add(Row(Printable(flags_.models[m], 60), last));
      results.push_back(ToJson(last));
      results.back()["model"] = flags_.models[m];
    }
    json_ = {{"command", "eval"},
             {"architecture", structure_.name},
             {"data", data.name()},
             {"normalize", opened_.normalize},
             {"models", std::move(results)}};
    if (flags_.ensemble) {
      last = EvaluateEnsemble(structure_.graph, models_, data, options_, run_);
      table.Add(Row("ensemble", last));
      json_["ensemble"] = ToJson(last);
    }
    const bool single = models_.size() == 1 && parents_.empty();
    return table.Text() + (single ? ReliabilityText(last) : "");
  }

  // Each model as if it was merged of the parents.
  std::string JudgeModels(const Dataset& data) {
    std::string text;
    for (size_t m = 0; m < models_.size() && !parents_.empty(); ++m) {
      const auto judgement = Judge({.graph = structure_.graph,
                                    .models = parents_,
                                    .merged = models_[m],
                                    .test = data,
                                    .normalization = opened_.normalization,
                                    .compute = options_.compute},
                                   run_);
      if (!judgement) continue;
      text += "\n" + Printable(flags_.models[m], 60) + " as a merge, " +
              JudgementText(*judgement, "the same data");
      json_["models"][m]["judgement"] = JudgementJson(*judgement);
    }
    return text;
  }

  const Flags& flags_;
  Console console_;
  ProgressBar progress_;
  const rebasin::Run run_ = RunFor(console_, &progress_);
  Structure structure_;
  std::vector<Checkpoint> models_, parents_;
  ModelData opened_;
  EvaluateOptions options_;
  Json json_;
};

}  // namespace

Command AddEval(CLI::App& program, Context& context) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = program.add_subcommand("eval", kEvalDescription);
  command->add_option("models", flags->models, "One or more models")
      ->required();
  command
      ->add_option("--parents", flags->parents,
                   "Two models or more: what each model keeps of them, as "
                   "`merge --data` tells of its result")
      ->expected(-1)
      ->type_name("FILE FILE ...");
  command
      ->add_option("--part", flags->part,
                   "Part of the data: test (default) or train")
      ->type_name("WORD");
  command->add_flag(
      "--ensemble", flags->ensemble,
      "Also evaluate the ensemble: the mean of the models' probabilities");
  command
      ->add_option("--bins", flags->bins,
                   "Confidence bins for the calibration error; default 15")
      ->type_name("N");
  command
      ->add_option("--batch-size", flags->batch,
                   "Batch size of each thread; default: so that activations "
                   "fit the cache")
      ->type_name("N");
  flags->structure.AddTo(*command, "Structure");
  flags->data.AddTo(*command);
  flags->compute.AddTo(*command);
  command->footer(R"(
ECE is the expected calibration error. The temperature is what dividing the
logits by would minimise the loss; above 1, the model is too sure of itself.

Examples:
  rebasin eval a.safetensors --data data/digits
  rebasin eval a.safetensors b.safetensors merged.safetensors --ensemble \
      --model resnet20 --normalize imagenet --data cifar10
  rebasin eval merged.safetensors --parents a.safetensors b.safetensors \
      --data data/digits)");
  return {command,
          [flags, &context] { return EvalCommand(*flags, context).Run(); }};
}

}  // namespace rebasin::cli
