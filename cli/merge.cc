// rebasin merge: matches, permutes and merges models.

#include <chrono>
#include <memory>
#include <optional>

#include "base/text.h"
#include "cli/console.h"
#include "cli/context.h"
#include "cli/judgement.h"
#include "cli/match_report.h"
#include "cli/merge_many.h"
#include "cli/merge_request.h"
#include "cli/model_output.h"
#include "cli/networks.h"
#include "cli/output.h"
#include "cli/plan.h"
#include "cli/progress.h"
#include "cli/proof.h"
#include "cli/repaired.h"
#include "cli/structure.h"
#include "rebasin/align.h"
#include "rebasin/error.h"
#include "rebasin/repair.h"

namespace rebasin::cli {
namespace {

namespace fs = std::filesystem;

// Examples on which --repair auto compares methods, if there are more than the
// repair uses.
constexpr int64_t kHeldOut = 2000;

class MergeCommand {
 public:
  MergeCommand(const MergeFlags& flags, const Context& context)
      : flags_(flags),
        context_(context),
        console_(context),
        progress_(console_),
        run_(RunFor(console_, &progress_)),
        request_(ParseMergeRequest(flags, context)) {}

  int Run() {
    if (request_.needs_networks()) RequireNetworks(context_);
    Open();
    CheckOutputs();
    if (context_.dry_run) return DryRun();
    const auto start = std::chrono::steady_clock::now();
    for (size_t m = 1; m < models_.size(); ++m) {
      WarnIfSame(models_[0], models_[m], run_);
    }
    MakePlan();
    WarnOfBatchNorm();
    Write();
    if (request_.judges()) EvaluateResult();
    progress_.Clear();
    if (flags_.written) flags_.written();
    const std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    Report(seconds.count());
    if (request_.page) WritePage();
    return 0;
  }

 private:
  StructureNeed Need() const {
    if (request_.repairs() || request_.judges()) return StructureNeed::kGraph;
    return request_.align ? StructureNeed::kSymmetry : StructureNeed::kNothing;
  }

  // The base takes part in comparisons too. The files of the merge driver are
  // git's temporary ones; config.json is beside the original.
  void Open() {
    ModelOptions options = ModelOptionsFor(flags_.match.structure, Need(),
                                           context_, flags_.match.dtype);
    options.base = flags_.base;
    options.config_beside = flags_.output_name;
    models_ = OpenModels(flags_.models, options, console_);
    if (!flags_.method.empty()) {
      console_.Warn("--method of merge is now called --interpolation");
    }
    if (flags_.base.empty()) return;
    base_ = std::move(models_.back());
    models_.pop_back();
  }

  void CheckOutputs() {
    folder_ = FolderFor(flags_.output, flags_.models, context_);
    if (folder_ && request_.write.shard_bytes == 0) {
      request_.write.shard_bytes = ModelFolder::kUsualShardBytes;
    }
    output_ = {.path = folder_ ? folder_->weights() : fs::path(flags_.output),
               .format = flags_.in_place ? FormatOf(flags_.models[0])
                         : folder_       ? FormatFor("")
                                         : FormatFor(flags_.output),
               .onnx_template = models_[0].onnx_file,
               .write = request_.write};
    CheckModelOutput(output_, First(), context_);
    CheckPageOutput(flags_.report, context_);
    for (const fs::path& path : AlignmentFiles()) {
      CheckTextOutput(path, context_);
      // No argument names the numbered files.
      if (path != flags_.save_align) CheckIsNoInput(path, context_, 0);
    }
  }

  const Checkpoint& First() const { return models_[0].weights; }
  const Structure& structure() const { return models_[0].structure; }
  bool UsesMany() const { return request_.UsesMany(models_.size()); }

  // The average of statistics is not the statistics of the average. With
  // `--repair none` or summed changes no warning is needed.
  void WarnOfBatchNorm() {
    if (structure().graph != nullptr && flags_.repair.empty() &&
        flags_.data.empty() && !plan_->adds_changes &&
        HasBatchNorm(*structure().graph)) {
      console_.Warn(
          "the merged model has wrong BatchNorm statistics and is not usable "
          "until they are recalculated; give --data");
    }
  }

  int DryRun() {
    Plan plan;
    for (const Model& model : models_) plan.AddRead(model.weights);
    if (NeedsData(request_.job)) {
      plan.AddData(flags_.data.data, "match by " + request_.job.method + " on");
    } else if (request_.align) {
      const auto visits = static_cast<int64_t>(models_.size()) - 1;
      plan.AddMatch(
          First(), structure().symmetry, request_.match, context_.threads,
          UsesMany() ? TypicalVisits(request_.many) * visits : visits);
    }
    plan.steps.push_back("merge " +
                         Count(static_cast<int64_t>(models_.size()), "model"));
    if (request_.repairs_with_data()) {
      plan.AddData(flags_.data.data, "repair (" + request_.repair + ") on");
    }
    plan.AddWrite(First(), flags_.output);
    if (request_.judges()) plan.AddData(flags_.data.data, "evaluate on");
    plan.Print("merge", console_);
    return 0;
  }

  void MakePlan() {
    MergeModelsOptions options{
        .align = request_.align,
        .alignment = {request_.job.method, request_.match},
        .jointly = UsesMany(),
        .interpolation = request_.interpolation,
        .shares = request_.weights,
        .three_way = request_.three_way,
        .verify = !flags_.no_verify,
        .allow_nonfinite = flags_.allow_nonfinite};
    options.many = {.method = request_.many,
                    .match = request_.match,
                    .max_rounds = request_.match.max_passes};
    if (NeedsData(request_.job)) {
      if (UsesMany()) {
        options.many.step = StepFor(request_.job, models_[0], console_);
      }
      options.aligner = [this](const Model& a, const Model& b) {
        found_ = RunMatchJob(request_.job, a, b, console_, progress_);
        return found_->match;
      };
    }
    plan_ = PlanMerge(models_, options, base_ ? &*base_ : nullptr, run_);
    progress_.Clear();
    if (plan_->match) WarnUnlessConverged(plan_->match->report, console_);
    if (plan_->many) WarnUnlessManyConverged(*plan_->many, console_);
  }

  // One file for each model that moves: FILE for two models, FILE-N for more.
  std::vector<fs::path> AlignmentFiles() const {
    if (flags_.save_align.empty()) return {};
    if (!UsesMany()) return {flags_.save_align};
    return NumberedFiles(flags_.save_align, models_.size());
  }

  void Write() {
    const std::vector<MergeInput> inputs = plan_->Inputs();
    const MergeOptions settings = plan_->Settings();
    if (output_.streams() && !request_.repairs()) {
      MergeToFile(inputs, output_.path, settings, output_.write, run_);
    } else {
      const Checkpoint merged = rebasin::Merge(inputs, settings, run_);
      WriteModel(output_, request_.repairs() ? Repaired(merged) : merged, run_);
    }
    if (folder_) folder_->Publish(Card());
    WriteAlignments();
  }

  Checkpoint Repaired(const Checkpoint& merged) {
    const MergedModel model{structure().graph, plan_->Aligned(run_),
                            plan_->shares, merged};
    if (!request_.repairs_with_data()) {
      repaired_ = {.model = CorrectBiases(*model.graph, merged, model.models,
                                          model.shares),
                   .kept = request_.repair};
      return repaired_->model;
    }
    const ModelData data = flags_.data.Open(console_, {&merged});
    repaired_ = context_.networks->repair(
        model,
        {.method = request_.repair,
         .calibration = CalibrationOf(data),
         .held_out = data.BesideCalibration(request_.calibration_examples,
                                            kHeldOut, context_.seed),
         .normalization = data.normalization},
        run_);
    progress_.Clear();
    return repaired_->model;
  }

  Dataset CalibrationOf(const ModelData& data) const {
    return data.Calibration(request_.calibration_examples, context_.seed);
  }

  ModelCard Card() const {
    ModelCard card;
    card.command = CommandText(context_);
    for (const Model& model : models_) {
      card.sources.push_back({model.name, &model.weights});
    }
    if (base_) card.sources.push_back({base_->name, &base_->weights});
    card.findings = RecognisedText(structure()) + FindingsText();
    return card;
  }

  // Evaluates what was written to the file.
  void EvaluateResult() {
    std::vector<Checkpoint> models;
    std::vector<const Checkpoint*> pointers;
    for (const Model& model : models_) {
      models.push_back(model.weights);
      pointers.push_back(&model.weights);
    }
    const ModelData data = flags_.data.Open(console_, pointers);
    const Dataset test = SelectRandom(data.splits.test,
                                      request_.judging_examples, context_.seed);
    judged_on_ = Count(test.size(), "example") + " of " + data.Describe(test);
    judgement_ = context_.networks->judge(
        {.graph = structure().graph,
         .models = std::move(models),
         .aligned =
             request_.align ? plan_->Aligned(run_) : std::vector<Checkpoint>(),
         .shares = plan_->shares,
         .merged = OpenWeights(flags_.output, context_, console_),
         .repair = repaired_ ? repaired_->kept : "none",
         .test = test,
         .calibration = CalibrationOf(data),
         .normalization = data.normalization},
        run_);
  }

  void WriteAlignments() {
    const std::vector<fs::path> files = AlignmentFiles();
    const size_t skipped = models_.size() - files.size();
    for (size_t f = 0; f < files.size(); ++f) {
      const size_t m = f + skipped;
      WriteText(files[f], AlignmentJson(models_[m], plan_->alignments[m]),
                context_.force);
    }
  }

  std::string FindingsText() const {
    std::string text;
    if (plan_->match) {
      text += ReportText(*plan_->match, false);
      if (found_) text += cli::FindingsText(*found_, request_.job);
    }
    if (plan_->many) text += ManyText(*plan_->many);
    if (plan_->three_way) {
      text += std::string("three-way: ") +
              (plan_->adds_changes ? "ours + (theirs - base)" : "mean") + " (" +
              plan_->three_way->why + ")\n";
    }
    if (!plan_->proofs.empty()) text += VerifiedText(plan_->proofs.back());
    if (plan_->tensors_copied > 0) {
      text += Count(static_cast<int64_t>(plan_->tensors_copied), "tensor") +
              " of " + std::to_string(First().tensors().size()) +
              " changed by one model only: copied from it\n";
    }
    if (repaired_) text += RepairText(*repaired_);
    if (judgement_) text += JudgementText(*judgement_, judged_on_);
    return text;
  }

  Json ThreeWayJson() const {
    Json json = {{"rule", plan_->adds_changes ? "delta" : "mean"},
                 {"why", plan_->three_way->why}};
    if (!plan_->evidence) return json;
    json.update({{"ours", plan_->evidence->ours},
                 {"theirs", plan_->evidence->theirs},
                 {"cosine", plan_->evidence->cosine}});
    return json;
  }

  void AddFindings(Json& json) const {
    if (plan_->match) {
      json["match"] = ReportJson(*plan_->match);
      if (found_) json["match"].update(FindingsJson(*found_));
    }
    if (plan_->many) json["many"] = ManyJson(*plan_->many, request_.many);
    if (plan_->three_way) json["three_way"] = ThreeWayJson();
    if (request_.align && !flags_.no_verify) {
      json["verified"] = !plan_->proofs.empty();
    }
    if (base_) json["taken"] = plan_->settings.copied;
    if (repaired_) json["repair"] = RepairJson(*repaired_);
    if (judgement_) json["judgement"] = JudgementJson(*judgement_);
    if (request_.align) json["structure"] = structure().name;
    if (!structure().held.empty()) json["constants"] = structure().held;
  }

  void WritePage() const {
    const bool two = plan_->match.has_value();
    context_.networks->write_page(
        {.title = flags_.output,
         .models = flags_.models,
         .text = RecognisedText(structure()) + FindingsText(),
         .structure = &structure(),
         .report = two ? &plan_->match->report : nullptr,
         .alignment = two ? &plan_->alignments[1] : nullptr,
         .repaired = repaired_ ? &*repaired_ : nullptr,
         .judgement = judgement_ ? &*judgement_ : nullptr,
         .judged_on = judged_on_},
        flags_.report, context_);
  }

  const std::string& OutputName() const {
    return flags_.output_name.empty() ? flags_.output : flags_.output_name;
  }

  void Report(double seconds) {
    const auto bytes = static_cast<double>(First().bytes());
    Json json = {{"command", "merge"},
                 {"models", flags_.models},
                 {"method", request_.interpolation_name},
                 {"align", request_.job.method},
                 {"output", OutputName()},
                 {"bytes", First().bytes()},
                 {"seconds", seconds}};
    AddFindings(json);
    console_.Result(RecognisedText(structure()) + FindingsText() + "merged " +
                        Count(static_cast<int64_t>(models_.size()), "model") +
                        " into " + Printable(OutputName()) + " (" +
                        HumanBytes(bytes) + ") in " + HumanSeconds(seconds) +
                        "\n",
                    std::move(json));
  }

  const MergeFlags& flags_;
  const Context& context_;
  Console console_;
  ProgressBar progress_;
  const rebasin::Run run_;
  MergeRequest request_;
  std::vector<Model> models_;
  std::optional<Model> base_;
  std::unique_ptr<ModelFolder> folder_;  // if the output is one
  ModelOutput output_;
  std::optional<MergePlan> plan_;
  std::optional<DataAlignResult> found_;  // for methods that need data
  std::optional<RepairResult> repaired_;
  std::optional<Judgement> judgement_;
  std::string judged_on_;  // "100 examples of MNIST test, ..."
};

}  // namespace

int RunMerge(const MergeFlags& flags, const Context& context) {
  return MergeCommand(flags, context).Run();
}

Command AddMerge(CLI::App& program, Context& context) {
  const auto flags = std::make_shared<MergeFlags>();
  CLI::App* command = program.add_subcommand(
      "merge", "Match, permute and merge models in one go");
  flags->AddFilesTo(*command);
  flags->AddTo(*command);
  command->footer("\nMethods of --align:\n" + MatchMethodsText() + R"(
Examples:
  rebasin merge a.safetensors b.safetensors --model auto -o ab.safetensors
  rebasin merge a.onnx b.onnx -o ab.onnx
  rebasin merge a.pt b.pt --model auto --base before.pt -o ab.pt
  rebasin merge a.safetensors b.safetensors --align none --lambda 0.3 \
      -o ab.safetensors
  rebasin merge a.safetensors b.safetensors c.safetensors --spec net.json \
      -o abc.safetensors --shard-size 2GB
  rebasin merge *.safetensors --model auto --many consistent \
      -o all.safetensors)");
  return {command, [flags, &context] { return RunMerge(*flags, context); }};
}

}  // namespace rebasin::cli
