// rebasin merge: match, permute and merge in one go.

#include "rebasin/merge.h"

#include <chrono>
#include <optional>

#include "base/text.h"
#include "cli/console.h"
#include "cli/context.h"
#include "cli/match_report.h"
#include "cli/merge_many.h"
#include "cli/merge_request.h"
#include "cli/model_output.h"
#include "cli/models.h"
#include "cli/networks.h"
#include "cli/output.h"
#include "cli/plan.h"
#include "cli/progress.h"
#include "cli/proof.h"
#include "cli/structure.h"
#include "rebasin/error.h"
#include "rebasin/repair.h"
#include "rebasin/three_way.h"

namespace rebasin::cli {
namespace {

namespace fs = std::filesystem;

class MergeCommand {
 public:
  MergeCommand(const MergeFlags& flags, const Context& context)
      : flags_(flags),
        context_(context),
        console_(context),
        progress_(console_),
        request_(Understand(flags, context, &progress_)),
        described_(flags.match.structure) {}

  int Run() {
    if (request_.needs_networks()) NeedNetworks(context_);
    Open();
    if (context_.dry_run) return DryRun();
    const auto start = std::chrono::steady_clock::now();
    for (size_t m = 1; m < models_.size(); ++m) {
      WarnIfSame(models_[0], models_[m], context_.threads, console_);
    }
    Align();
    WarnOfBatchNorm();
    if (request_.align && !flags_.no_verify) Prove();
    Write();
    if (request_.judges()) JudgeResult();
    progress_.Clear();
    if (flags_.written) flags_.written();
    const std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    Report(seconds.count());
    if (request_.page) WritePage();
    return 0;
  }

 private:
  void Open() {
    OpenFiles();
    for (size_t m = 0; m < models_.size(); ++m) {
      RequireTensors(models_[m], flags_.models[m]);
      CheckSameStructure(models_[0], models_[m]);
    }
    if (request_.align || request_.repairs() || request_.judges()) {
      RequireStructure();
      structure_ = StructureFor(described_, opened_, console_);
    }
    CheckRepair();
    output_ = {
        .path = flags_.output,
        .format = flags_.in_place ? FormatOf(flags_.models[0])
                                  : FormatFor(flags_.output),
        .onnx_template = OnnxTemplate(described_, flags_.models[0], models_[0]),
        .write = request_.write};
    CheckModelOutput(output_, models_[0], context_);
    CheckPageOutput(flags_.report, context_);
    CheckAlignmentFiles();
  }

  void CheckAlignmentFiles() const {
    for (const fs::path& path : AlignmentFiles()) {
      CheckTextOutput(path, context_);
      // Numbered ones are not named by any argument.
      if (path != flags_.save_align) CheckIsNoInput(path, context_, 0);
    }
  }

  // The base is compared with the models, too. The files of the merge driver
  // are git's own; config.json lies beside the model that they are versions of.
  void OpenFiles() {
    std::vector<std::string> paths = flags_.models;
    if (!flags_.base.empty()) paths.push_back(flags_.base);
    opened_ = OpenModels(paths, context_, console_, flags_.match.dtype,
                         described_.trained);
    opened_.beside = flags_.output_name;
    RequireSameGraphs(opened_);
    if (!flags_.base.empty()) base_ = opened_.TakeLast();
    models_ = opened_.weights;
  }

  // Git's users give their options once for all models of a repository, so
  // what neither they nor the model say is found out.
  void RequireStructure() {
    if (HasStructure(described_, opened_.Files())) return;
    if (flags_.in_place) {
      described_.model = "auto";
      return;
    }
    throw Error(ErrorCode::kUsage, "aligning needs a --model or --spec",
                "try --model auto, or merge as they are with --align none");
  }

  // Averaged statistics are not the statistics of the average.
  void CheckRepair() {
    const bool has_graph = structure_.graph != nullptr;
    if (request_.repairs() && !has_graph) {
      throw Error(ErrorCode::kUsage, "--repair needs a graph",
                  "give --model NAME (or auto), or an .onnx file");
    }
  }

  // `--repair none` and changes along one line need no warning.
  void WarnOfBatchNorm() {
    if (structure_.graph != nullptr && flags_.repair.empty() &&
        flags_.data.empty() && !AddsChanges() &&
        HasBatchNorm(*structure_.graph)) {
      console_.Warn(
          "this network has BatchNorm: the merged model is broken until its "
          "statistics are recalculated; give --data");
    }
  }

  int DryRun() {
    Plan plan;
    for (const Checkpoint& model : models_) plan.AddRead(model);
    if (request_.align) {
      const auto visits = static_cast<int64_t>(models_.size()) - 1;
      plan.AddMatch(models_[0], *structure_.symmetry, request_.match,
                    UsesMany() ? request_.VisitsOfMany() * visits : visits);
    }
    plan.steps.push_back("merge " +
                         Count(static_cast<int64_t>(models_.size()), "model"));
    plan.AddWrite(models_[0], flags_.output);
    plan.Print("merge", console_);
    return 0;
  }

  bool UsesMany() const { return request_.UsesMany(models_.size()); }

  // Whether the result is ours + (theirs - base).
  bool AddsChanges() const { return plan_ && plan_->choice.delta; }

  void Align() {
    if (base_ && !UsesMany()) return PlanWithBase();
    if (!request_.align) return;
    if (UsesMany()) return AlignAll();
    alignments_ = {Alignment(structure_.symmetry),
                   Match(models_[0], models_[1])};
  }

  void PlanWithBase() {
    Matcher matcher;
    if (request_.align) {
      matcher = [this](const Checkpoint& target, const Checkpoint& model) {
        return Match(target, model);
      };
    }
    plan_ = PlanThreeWay(models_[0], models_[1], *base_, request_.three_way,
                         matcher, context_.threads);
    if (request_.align) {
      alignments_ = {Alignment(structure_.symmetry), *plan_->theirs};
    }
    const ThreeWayChoice& choice = plan_->choice;
    text_ += std::string("three-way: ") +
             (choice.delta ? "ours + (theirs - base)" : "mean") + " (" +
             choice.why + ")\n";
    json_["three_way"] = {{"rule", choice.delta ? "delta" : "mean"},
                          {"why", choice.why}};
    if (!plan_->evidence) return;
    json_["three_way"].update({{"ours", plan_->evidence->ours},
                               {"theirs", plan_->evidence->theirs},
                               {"cosine", plan_->evidence->cosine}});
  }

  // What the report shows is the match that moves the second model.
  Alignment Match(const Checkpoint& target, const Checkpoint& model) {
    const FoundMatch found = RunMatchJob(request_.job, target, model,
                                         structure_, console_, progress_);
    WarnUnlessConverged(found.match.report, console_);
    if (&model != &models_[1]) return found.match.alignment;
    report_ = found.match.report;
    text_ = ReportText(found.match, false) + found.text;
    json_["match"] = ReportJson(found.match);
    json_["match"].update(found.json);
    return found.match.alignment;
  }

  void AlignAll() {
    const ManyResult many =
        AlignMany(models_, structure_, request_, console_, progress_);
    alignments_ = many.alignments;
    text_ = ManyText(many);
    json_["many"] = ManyJson(many, request_.many);
  }

  // Every model that moves must still be the same function.
  void Prove() {
    std::string proof;
    for (size_t m = 0; m < models_.size(); ++m) {
      progress_.Update("verifying", static_cast<int64_t>(m),
                       static_cast<int64_t>(models_.size()));
      const std::string line =
          ProveAlignment(OwnStructure(structure_, opened_, m), models_[m],
                         alignments_[m], context_, console_);
      if (!line.empty()) proof = line;
    }
    if (plan_ && plan_->base) {
      const std::string line =
          ProveAlignment(structure_, *base_, *plan_->base, context_, console_);
      if (!line.empty()) proof = line;
    }
    progress_.Clear();
    text_ += proof;
    json_["verified"] = !proof.empty();
  }

  // One for each model that moves: FILE for two models, FILE-N for more.
  std::vector<fs::path> AlignmentFiles() const {
    if (flags_.save_align.empty()) return {};
    if (!UsesMany()) return {flags_.save_align};
    return NumberedFiles(flags_.save_align, models_.size());
  }

  void Write() {
    std::vector<MergeInput> inputs;
    for (size_t m = 0; m < models_.size(); ++m) {
      inputs.push_back(
          {&models_[m], request_.align ? &alignments_[m] : nullptr});
    }
    const MergeOptions settings = WriteSettings(inputs);
    output_.write.progress = progress_.shower("writing");
    if (output_.streams() && !request_.repairs()) {
      MergeToFile(inputs, output_.path, settings, output_.write);
    } else {
      const Checkpoint merged = rebasin::Merge(inputs, settings);
      WriteModel(output_, request_.repairs() ? Repair(merged) : merged,
                 console_);
    }
    WriteAlignments();
  }

  std::vector<Checkpoint> AlignedModels() const {
    if (!request_.align) return models_;
    std::vector<Checkpoint> aligned;
    for (size_t m = 0; m < models_.size(); ++m) {
      aligned.push_back(Permute(models_[m], alignments_[m], context_.threads));
    }
    return aligned;
  }

  std::vector<double> Shares() const {
    if (!request_.weights.empty()) return request_.weights;
    return std::vector<double>(models_.size(),
                               1.0 / static_cast<double>(models_.size()));
  }

  Checkpoint Repair(const Checkpoint& merged) {
    const RepairRequest request{
        .method = request_.repair,
        .calibration_examples = request_.calibration_examples,
        .graph = structure_.graph,
        .models = AlignedModels(),
        .shares = Shares()};
    if (!request_.repairs_with_data()) {
      text_ += "repaired (" + request.method + ") without data\n";
      json_["repair"] = {{"kept", request.method}};
      return CorrectBiases(*structure_.graph, merged, request.models,
                           request.shares);
    }
    Repaired repaired =
        RepairWithData(request, merged, flags_.data, console_, progress_);
    progress_.Clear();
    text_ += repaired.text;
    json_["repair"] = std::move(repaired.json);
    return std::move(repaired.model);
  }

  // Of what stands in the file.
  void JudgeResult() {
    const JudgeRequest request{
        .graph = structure_.graph,
        .models = models_,
        .aligned = request_.align ? AlignedModels() : std::vector<Checkpoint>(),
        .shares = Shares(),
        .merged = OpenModel(flags_.output, context_, console_),
        .repair = json_.contains("repair")
                      ? json_["repair"]["kept"].get<std::string>()
                      : "none",
        .examples = request_.judging_examples,
        .calibration_examples = request_.calibration_examples};
    Judgement judgement = Judge(request, flags_.data, console_, progress_);
    text_ += judgement.text;
    json_["judgement"] = std::move(judgement.json);
  }

  void WriteAlignments() {
    const std::vector<fs::path> files = AlignmentFiles();
    const size_t skipped = models_.size() - files.size();
    for (size_t f = 0; f < files.size(); ++f) {
      const size_t m = f + skipped;
      WriteText(files[f], AlignmentText(alignments_[m], opened_, m),
                context_.force);
    }
  }

  void WritePage() const {
    const bool two = report_.has_value();
    WriteMergePage({.title = flags_.output,
                    .text = structure_.recognised + text_,
                    .structure = &structure_,
                    .report = two ? &*report_ : nullptr,
                    .alignment = two ? &alignments_[1] : nullptr},
                   flags_.report, context_);
  }

  MergeInput Base() const {
    return {&*base_, plan_ && plan_->base ? &*plan_->base : nullptr};
  }

  // What only one model has changed since they parted is taken from it; what
  // both have made the same stays so.
  std::map<std::string, size_t> TakenFrom(std::span<const MergeInput> inputs) {
    if (!base_) return HeldFromFirst();
    auto taken = ChangedAlone(inputs, Base(), context_.threads);
    base_->CheckUnchanged();
    if (!taken.empty()) {
      text_ += Count(static_cast<int64_t>(taken.size()), "tensor") + " of " +
               std::to_string(models_[0].tensors().size()) +
               " changed by one model alone: taken from it\n";
    }
    json_["taken"] = taken;
    if (AddsChanges()) {
      taken.merge(ChangedAlike(inputs, Base(), context_.threads));
    }
    taken.merge(HeldFromFirst());
    return taken;
  }

  // Constants are copied: a mean of equal numbers may be rounded.
  std::map<std::string, size_t> HeldFromFirst() const {
    std::map<std::string, size_t> taken;
    for (const std::string& name : structure_.held) taken.emplace(name, 0);
    return taken;
  }

  std::set<std::string> Variances() const {
    std::set<std::string> names;
    if (structure_.graph == nullptr) return names;
    for (const BatchNormSite& site : BatchNormSites(*structure_.graph)) {
      names.insert(site.variance);
    }
    return names;
  }

  MergeOptions WriteSettings(std::span<const MergeInput> inputs) {
    return {.method = request_.method == MergeRequest::Method::kSlerp
                          ? MergeMethod::kSlerp
                          : MergeMethod::kLinear,
            .weights = request_.weights,
            .taken = TakenFrom(inputs),
            .base = AddsChanges() ? Base() : MergeInput{},
            .variances = Variances(),
            .threads = context_.threads,
            .allow_nonfinite = flags_.allow_nonfinite,
            .warn = console_.warner()};
  }

  const std::string& OutputName() const {
    return flags_.output_name.empty() ? flags_.output : flags_.output_name;
  }

  void Report(double seconds) {
    Json json = {{"command", "merge"},      {"models", flags_.models},
                 {"method", flags_.method}, {"align", request_.job.method},
                 {"output", OutputName()},  {"bytes", models_[0].bytes()},
                 {"seconds", seconds}};
    json.update(json_);
    if (request_.align) json["structure"] = structure_.name;
    if (!structure_.held.empty()) json["constants"] = structure_.held;
    console_.Result(structure_.recognised + text_ + "merged " +
                        Count(static_cast<int64_t>(models_.size()), "model") +
                        " into " + Printable(OutputName()) + " (" +
                        HumanBytes(static_cast<double>(models_[0].bytes())) +
                        ") in " + HumanSeconds(seconds) + "\n",
                    std::move(json));
  }

  const MergeFlags& flags_;
  const Context& context_;
  Console console_;
  Progress progress_;
  MergeRequest request_;
  StructureFlags described_;  // what is said about the models' structure
  OpenedModels opened_;
  std::vector<Checkpoint> models_;
  std::optional<Checkpoint> base_;
  Structure structure_;
  ModelOutput output_;
  std::vector<Alignment> alignments_;
  std::optional<ThreeWayPlan> plan_;   // of two models with a base
  std::optional<MatchReport> report_;  // of two models that were aligned
  std::string text_;
  Json json_ = Json::object();
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
