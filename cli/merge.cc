// rebasin merge: match, permute and merge in one go.

#include "rebasin/merge.h"

#include <chrono>
#include <optional>

#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/context.h"
#include "cli/match_flags.h"
#include "cli/match_report.h"
#include "cli/models.h"
#include "cli/output.h"
#include "cli/plan.h"
#include "cli/progress.h"
#include "cli/proof.h"
#include "cli/structure.h"
#include "cli/text.h"
#include "rebasin/error.h"
#include "rebasin/onnx.h"

namespace rebasin::cli {
namespace {

namespace fs = std::filesystem;

enum class Method { kLinear, kSlerp, kMany };

struct Flags {
  std::vector<std::string> models;
  std::string output, save_align, shard_size;
  std::string lambda, weights;
  std::string method = "linear", align = "weights";
  bool allow_nonfinite = false;
  bool no_verify = false;
  MatchFlags match;
};

// The flags, understood.
struct Request {
  Method method = Method::kLinear;
  bool align = true;
  std::vector<double> weights;
  WriteOptions write;
  MatchOptions match;
};

[[noreturn]] void FailUsage(const std::string& what,
                            const std::string& hint = "") {
  throw Error(ErrorCode::kUsage, what, hint);
}

std::vector<double> ParseWeights(const Flags& flags) {
  if (!flags.weights.empty()) return ParseShares("--weights", flags.weights);
  if (flags.lambda.empty()) return {};
  if (flags.models.size() != 2) {
    FailUsage("--lambda is for two models", "use --weights for more");
  }
  const double share = ParseShare("--lambda", flags.lambda);
  return {1 - share, share};
}

void CheckCombination(const Flags& flags, const Request& request) {
  if (flags.models.size() < 2) FailUsage("a merge needs at least two models");
  if (request.align && !HasStructure(flags.match.structure, flags.models[0])) {
    FailUsage("--align weights needs a --model or --spec",
              "try --model auto, or merge as they are with --align none");
  }
  if (!request.align && request.method == Method::kMany) {
    FailUsage("--method many aligns the models; it excludes --align none");
  }
  if (!request.align && !flags.save_align.empty()) {
    FailUsage("--save-align needs --align weights");
  }
  if (request.method == Method::kSlerp && flags.models.size() != 2) {
    FailUsage("--method slerp takes exactly two models");
  }
}

void CheckWeights(const std::vector<double>& weights, size_t models) {
  if (weights.empty()) return;
  double sum = 0;
  for (double weight : weights) sum += weight;
  if (weights.size() != models) {
    FailUsage("--weights has " + std::to_string(weights.size()) +
              " numbers for " + std::to_string(models) + " models");
  }
  if (std::abs(sum - 1) > 1e-6) {
    FailUsage("--weights must sum to 1, not " + Number(sum));
  }
}

Request Understand(const Flags& flags, const Context& context,
                   Progress* progress) {
  Request request;
  request.method = ParseChoice<Method>("--method", flags.method,
                                       {{"linear", Method::kLinear},
                                        {"slerp", Method::kSlerp},
                                        {"many", Method::kMany}});
  request.align = ParseChoice<bool>("--align", flags.align,
                                    {{"weights", true}, {"none", false}});
  CheckCombination(flags, request);
  request.weights = ParseWeights(flags);
  CheckWeights(request.weights, flags.models.size());
  request.write.force = context.force;
  if (!flags.shard_size.empty()) {
    request.write.shard_bytes = ParseBytes("--shard-size", flags.shard_size);
  }
  request.match = flags.match.Options(context, progress);
  return request;
}

class MergeCommand {
 public:
  MergeCommand(const Flags& flags, const Context& context)
      : flags_(flags),
        context_(context),
        console_(context),
        progress_(console_),
        request_(Understand(flags, context, &progress_)) {}

  int Run() {
    Open();
    if (context_.dry_run) return DryRun();
    const auto start = std::chrono::steady_clock::now();
    for (size_t m = 1; m < models_.size(); ++m) {
      WarnIfSame(models_[0], models_[m], context_.threads, console_);
    }
    if (request_.align) Align();
    if (request_.align && !flags_.no_verify) Prove();
    Write();
    progress_.Clear();
    const std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    Report(seconds.count());
    return 0;
  }

 private:
  void Open() {
    for (const std::string& path : flags_.models) {
      models_.push_back(
          OpenModel(path, context_, console_, flags_.match.dtype));
      CheckSameStructure(models_[0], models_.back());
    }
    if (request_.align) {
      structure_ = StructureFor(flags_.match.structure, flags_.models[0],
                                models_[0], console_);
    }
    template_ = OnnxTemplate(flags_.match.structure, flags_.models[0]);
    to_onnx_ = IsOnnxOutput(flags_.output, template_);
    CheckModelOutput(flags_.output, models_[0], request_.write);
    for (const fs::path& path : AlignmentFiles()) {
      CheckTextOutput(path, context_.force);
    }
  }

  int DryRun() {
    Plan plan;
    for (const Checkpoint& model : models_) plan.AddRead(model);
    if (request_.align) {
      const auto visits = static_cast<int64_t>(models_.size()) - 1;
      plan.AddMatch(models_[0], *structure_.symmetry, request_.match,
                    UsesMany() ? 3 * visits : visits);
    }
    plan.steps.push_back("merge " +
                         Count(static_cast<int64_t>(models_.size()), "model"));
    plan.AddWrite(models_[0], flags_.output);
    plan.Print("merge", console_);
    return 0;
  }

  bool UsesMany() const {
    return models_.size() > 2 || request_.method == Method::kMany;
  }

  void Align() {
    if (UsesMany()) return AlignMany();
    const MatchResult match = MatchWeights(models_[0], models_[1],
                                           structure_.symmetry, request_.match);
    WarnUnlessConverged(match.report, console_);
    alignments_ = {Alignment(structure_.symmetry), match.alignment};
    text_ = ReportText(match, false);
    json_["match"] = ReportJson(match);
  }

  void AlignMany() {
    const ManyResult many = MatchMany(models_, structure_.symmetry,
                                      {.match = request_.match,
                                       .max_rounds = request_.match.max_passes,
                                       .progress = {}});
    progress_.Clear();
    if (!many.converged) {
      console_.Warn("the models did not settle within " +
                    Count(many.rounds, "round"));
    }
    alignments_ = many.alignments;
    text_ = "spread around the mean: " + Number(many.spread_by_round.front()) +
            " before, " + Number(many.spread_by_round.back()) + " after " +
            Count(many.rounds, "round") + "\n";
    json_["many"] = {{"rounds", many.rounds},
                     {"converged", many.converged},
                     {"spread_by_round", many.spread_by_round}};
  }

  // Every model that moves must still be the same function.
  void Prove() {
    std::string proof;
    for (size_t m = 0; m < models_.size(); ++m) {
      progress_.Update("verifying", static_cast<int64_t>(m),
                       static_cast<int64_t>(models_.size()));
      const std::string line = ProveAlignment(
          structure_, models_[m], alignments_[m], context_, console_);
      if (!line.empty()) proof = line;
    }
    progress_.Clear();
    text_ += proof;
    json_["verified"] = !proof.empty();
  }

  // One for each model that moves: FILE for two models, FILE-N for more.
  std::vector<fs::path> AlignmentFiles() const {
    if (flags_.save_align.empty()) return {};
    const fs::path path = flags_.save_align;
    if (!UsesMany()) return {path};
    std::vector<fs::path> files;
    for (size_t m = 1; m <= models_.size(); ++m) {
      files.push_back(path.parent_path() /
                      (path.stem().native() + "-" + std::to_string(m) +
                       path.extension().native()));
    }
    return files;
  }

  void Write() {
    std::vector<MergeInput> inputs;
    for (size_t m = 0; m < models_.size(); ++m) {
      inputs.push_back(
          {&models_[m], request_.align ? &alignments_[m] : nullptr});
    }
    if (to_onnx_) {
      WriteOnnx(template_, rebasin::Merge(inputs, WriteSettings()),
                flags_.output, request_.write);
    } else {
      MergeToFile(inputs, flags_.output, WriteSettings(), request_.write);
    }
    const std::vector<fs::path> files = AlignmentFiles();
    const size_t skipped = models_.size() - files.size();
    for (size_t f = 0; f < files.size(); ++f) {
      WriteText(files[f],
                alignments_[f + skipped].ToJson(Fingerprint(models_[0])),
                context_.force);
    }
  }

  MergeOptions WriteSettings() {
    return {.method = request_.method == Method::kSlerp ? MergeMethod::kSlerp
                                                        : MergeMethod::kLinear,
            .weights = request_.weights,
            .threads = context_.threads,
            .allow_nonfinite = flags_.allow_nonfinite,
            .warn = console_.warner(),
            .progress = [this](int64_t done, int64_t total) {
              progress_.Update("writing", done, total);
            }};
  }

  void Report(double seconds) {
    Json json = {{"command", "merge"},      {"models", flags_.models},
                 {"method", flags_.method}, {"align", flags_.align},
                 {"output", flags_.output}, {"bytes", models_[0].bytes()},
                 {"seconds", seconds}};
    json.update(json_);
    if (request_.align) json["structure"] = structure_.name;
    console_.Result(RecognisedText(structure_) + text_ + "merged " +
                        Count(static_cast<int64_t>(models_.size()), "model") +
                        " into " + Printable(flags_.output) + " (" +
                        HumanBytes(static_cast<double>(models_[0].bytes())) +
                        ") in " + HumanSeconds(seconds) + "\n",
                    std::move(json));
  }

  const Flags& flags_;
  const Context& context_;
  Console console_;
  Progress progress_;
  Request request_;
  std::vector<Checkpoint> models_;
  Structure structure_;
  fs::path template_;  // the .onnx file to take the graph from, if any
  bool to_onnx_ = false;
  std::vector<Alignment> alignments_;
  std::string text_;
  Json json_ = Json::object();
};

void AddFlags(CLI::App& command, Flags& flags) {
  command.add_option("models", flags.models, "Two or more models")->required();
  command.add_option("-o,--output", flags.output, "The merged model")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--lambda", flags.lambda,
                  "The share of B, from 0 to 1; default 0.5")
      ->type_name("X");
  command
      .add_option("--weights", flags.weights,
                  "The share of each model, e.g. 0.5,0.3,0.2")
      ->type_name("X,X,...")
      ->excludes("--lambda");
  command
      .add_option("--method", flags.method,
                  "linear (default), slerp (along great circles, two models) "
                  "or many (each aligned to the mean of the others; always so "
                  "for more than two)")
      ->type_name("WORD");
  command
      .add_option("--align", flags.align,
                  "weights (default): match the weights first; none: merge as "
                  "they are")
      ->type_name("WORD");
  command
      .add_option("--save-align", flags.save_align,
                  "Keep B's alignment (for more models: FILE-1, FILE-2, ...)")
      ->type_name("FILE");
  command
      .add_option("--shard-size", flags.shard_size,
                  "Split the output into files of at most this size")
      ->type_name("SIZE");
  command.add_flag("--allow-nonfinite", flags.allow_nonfinite,
                   "Merge NaN and infinities too");
  command.add_flag("--no-verify", flags.no_verify,
                   "Do not run the models to check that their functions stay");
  flags.match.AddTo(command);
}

}  // namespace

Command AddMerge(CLI::App& program, Context& context) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = program.add_subcommand(
      "merge", "Match, permute and merge models in one go");
  AddFlags(*command, *flags);
  command->footer(R"(
Examples:
  rebasin merge a.safetensors b.safetensors --model auto -o ab.safetensors
  rebasin merge a.onnx b.onnx -o ab.onnx
  rebasin merge a.safetensors b.safetensors --align none --lambda 0.3 \
      -o ab.safetensors
  rebasin merge a.safetensors b.safetensors c.safetensors --spec net.json \
      -o abc.safetensors --shard-size 2GB)");
  return {command,
          [flags, &context] { return MergeCommand(*flags, context).Run(); }};
}

}  // namespace rebasin::cli
