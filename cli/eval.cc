// rebasin eval: evaluates models on data.

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/data_flags.h"
#include "cli/networks.h"
#include "cli/progress.h"
#include "cli/structure.h"
#include "rebasin/error.h"
#include "rebasin/nn/evaluate.h"

namespace rebasin::cli {
namespace {

struct Flags {
  std::vector<std::string> models;
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

std::vector<Checkpoint> OpenAll(const Flags& flags, const Context& context,
                                Console& console, Structure& structure) {
  ModelOptions options =
      ModelOptionsFor(flags.structure, StructureNeed::kGraph, context);
  options.same_tensors = false;
  std::vector<Checkpoint> weights;
  for (const Model& model : OpenModels(flags.models, options, console)) {
    if (weights.empty()) structure = model.structure;
    weights.push_back(model.weights);
  }
  return weights;
}

std::vector<const Checkpoint*> PointersTo(
    const std::vector<Checkpoint>& models) {
  std::vector<const Checkpoint*> pointers;
  for (const Checkpoint& model : models) pointers.push_back(&model);
  return pointers;
}

int Eval(const Flags& flags, const Context& context) {
  Console console(context);
  ProgressBar progress(console);
  Structure structure;
  const std::vector<Checkpoint> models =
      OpenAll(flags, context, console, structure);
  const ModelData opened = flags.data.Open(console, PointersTo(models));
  const Dataset& data = PartOf(opened.splits, flags.part);
  const EvaluateOptions options{
      .compute = flags.compute.Options(),
      .normalization = opened.normalization,
      .batch_size = ParseInteger("--batch-size", flags.batch, 0, 1 << 24),
      .bins = static_cast<int>(ParseInteger("--bins", flags.bins, 1, 10000)),
      .find_temperature = true};
  const Run run = RunFor(console, &progress);
  Table table("lrrrrrr", {"model", "loss", "top-1", "top-5", "ECE",
                          "temperature", "loss at temperature"});
  Json results = Json::array();
  Evaluation last;
  for (size_t m = 0; m < models.size(); ++m) {
    last = Evaluate(structure.graph, models[m], data, options, run);
    table.Add(Row(Printable(flags.models[m], 60), last));
    results.push_back(ToJson(last));
    results.back()["model"] = flags.models[m];
  }
  Json json = {{"command", "eval"},
               {"architecture", structure.name},
               {"data", data.name()},
               {"normalize", opened.normalize},
               {"models", std::move(results)}};
  if (flags.ensemble) {
    last = EvaluateEnsemble(structure.graph, models, data, options, run);
    table.Add(Row("ensemble", last));
    json["ensemble"] = ToJson(last);
  }
  progress.Clear();
  const bool single = models.size() == 1;
  console.Result(RecognisedText(structure) + opened.Describe(data) + ", " +
                     Count(data.size(), "example") + "\n" + table.Text() +
                     (single ? ReliabilityText(last) : ""),
                 std::move(json));
  return 0;
}

}  // namespace

Command AddEval(CLI::App& program, Context& context) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = program.add_subcommand("eval", kEvalDescription);
  command->add_option("models", flags->models, "One or more models")
      ->required();
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
      --model resnet20 --normalize imagenet --data cifar10)");
  return {command, [flags, &context] { return Eval(*flags, context); }};
}

}  // namespace rebasin::cli
