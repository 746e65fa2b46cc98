// rebasin interpolate: the loss between two models.

#include "rebasin/interpolate.h"

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/curve_output.h"
#include "cli/data_flags.h"
#include "cli/match_flags.h"
#include "cli/match_method.h"
#include "cli/match_report.h"
#include "cli/measure_line.h"
#include "cli/models.h"
#include "cli/networks.h"
#include "cli/output.h"
#include "cli/page.h"
#include "cli/repair.h"
#include "lab/blocks.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

struct Flags {
  std::string a, b;
  std::string points = "25", method = "linear", align = "weights";
  std::string part = "both", samples, batch = "0";
  std::string repair = "none", calibrate = "5000";
  std::string csv, plot, report;
  bool no_naive = false;
  MatchFlags match;
  DataMatchFlags with_data;
  DataFlags data;
  ComputeFlags compute;
};

class InterpolateCommand {
 public:
  InterpolateCommand(const Flags& flags, const Context& context)
      : flags_(flags),
        context_(context),
        console_(context),
        progress_(console_) {}

  int Run() {
    Open();
    std::vector<NamedLine> lines;
    if (flags_.align == "none" || !flags_.no_naive) {
      lines.push_back({Named("naive"), Measure(nullptr)});
    }
    std::string text = RecognisedText(structure_);
    if (flags_.align != "none") {
      const Alignment alignment = FindAlignment(&text);
      lines.push_back({Named("aligned"), Measure(&alignment)});
    }
    progress_.Clear();
    Write(lines);
    console_.Result(text + CurveText(lines), {{"command", "interpolate"},
                                              {"a", flags_.a},
                                              {"b", flags_.b},
                                              {"model", structure_.name},
                                              {"normalize", data_.normalize},
                                              {"method", flags_.method},
                                              {"repair", flags_.repair},
                                              {"lines", CurveJson(lines)}});
    return 0;
  }

 private:
  void Open() {
    if (!flags_.csv.empty()) CheckTextOutput(flags_.csv, context_.force);
    CheckPictureOutput(flags_.plot, context_.force);
    CheckPageOutput(flags_.report, context_.force);
    match_ = flags_.match.Options(context_, &progress_);
    a_ = OpenModel(flags_.a, context_, console_, flags_.match.dtype);
    b_ = OpenModel(flags_.b, context_, console_, flags_.match.dtype);
    CheckSameStructure(a_, b_);
    structure_ = RunnableFor(flags_.match.structure, flags_.a, a_, console_);
    data_ = flags_.data.Open(&a_);
    setup_.graph = structure_.graph;
    setup_.parts = SelectParts(data_.splits, flags_.part, flags_.samples);
    setup_.calibration = CalibrationData(
        data_.splits,
        ParseInteger("--calibrate", flags_.calibrate, 2, int64_t{1} << 40));
    setup_.options = {
        .method = ParseChoice<MergeMethod>(
            "--method", flags_.method,
            {{"linear", MergeMethod::kLinear}, {"slerp", MergeMethod::kSlerp}}),
        .points =
            static_cast<int>(ParseInteger("--points", flags_.points, 2, 10000)),
        .evaluate = {.compute = flags_.compute.Options(context_),
                     .normalization = data_.normalization,
                     .batch_size = ParseInteger("--batch-size", flags_.batch, 0,
                                                1 << 24)}};
  }

  std::string Named(const std::string& line) const {
    return flags_.repair == "none" ? line : line + ", " + flags_.repair;
  }

  Alignment FindAlignment(std::string* text) {
    if (!IsMatchMethod(flags_.align)) {
      return Alignment::Load(flags_.align, Fingerprint(b_));
    }
    const MatchJob job{.method = flags_.align,
                       .options = match_,
                       .with_data = flags_.with_data,
                       .data = flags_.data};
    const FoundMatch found =
        RunMatchJob(job, a_, b_, structure_, context_, progress_);
    progress_.Clear();
    WarnUnlessConverged(found.match.report, console_);
    *text += ReportText(found.match, false) + found.text;
    return found.match.alignment;
  }

  Line Measure(const Alignment* alignment) {
    const Checkpoint moved =
        alignment == nullptr ? b_ : Permute(b_, *alignment, context_.threads);
    return MeasureLine(setup_, a_, moved, flags_.repair,
                       alignment == nullptr ? "naive line" : "aligned line",
                       progress_);
  }

  void Write(const std::vector<NamedLine>& lines) {
    if (context_.dry_run) return;
    if (!flags_.csv.empty()) {
      WriteText(flags_.csv, CurveCsv(lines), context_.force);
    }
    if (!flags_.plot.empty()) {
      WriteFigure(CurvesFigure(lines, structure_.name), flags_.plot,
                  context_.force);
    }
    WritePage(Page(lines), flags_.report, context_);
  }

  Document Page(const std::vector<NamedLine>& lines) const {
    Document page{.title = "Between two networks: " + structure_.name,
                  .question = "What is the loss on the line from " + flags_.a +
                              " to " + flags_.b + "?"};
    page.blocks = {lab::LinesPlot("curves", structure_.name,
                                  "Loss and accuracy from A to B.", lines),
                   lab::LinesTable("barriers", "Barriers", lines)};
    return page;
  }

  const Flags& flags_;
  const Context& context_;
  Console console_;
  Progress progress_;
  MatchOptions match_;
  Checkpoint a_, b_;
  Structure structure_;
  OpenedData data_;
  LineSetup setup_;
};

void AddFlags(CLI::App& command, Flags& flags) {
  command.add_option("a", flags.a, "The model at lambda 0")->required();
  command.add_option("b", flags.b, "The model at lambda 1")->required();
  const auto add = [&](const char* name, std::string& into, const char* what,
                       const char* type) {
    command.add_option(name, into, what)->type_name(type);
  };
  add("--points", flags.points, "On the line, ends included; default 25", "N");
  add("--method", flags.method, "linear (default) or slerp", "WORD");
  add("--align", flags.align,
      "The naive line, and the one to B matched to A by weights (default) or "
      "another method (see `rebasin match --help`); none: the naive line only; "
      "or an alignment",
      "WORD|FILE");
  add("--repair", flags.repair,
      "What is done to each point: none (default), bn, repair, rescale, bias",
      "WORD");
  add("--calibrate", flags.calibrate,
      "Examples of the training part for the repair; default 5000", "N");
  add("--part", flags.part, "both (default), train or test", "WORD");
  add("--samples", flags.samples, "Only the first N examples of each part",
      "N");
  add("--batch-size", flags.batch,
      "Examples that a thread runs at once; default: as fit the "
      "cache",
      "N");
  add("--csv", flags.csv, "Also write the points here", "FILE");
  add("--plot", flags.plot, "Also draw the curves: .svg or .png", "FILE");
  add("--report", flags.report, "Also write a page to read: .html", "FILE");
  command.add_flag("--no-naive", flags.no_naive, "Leave out the naive line");
  flags.match.AddTo(command);
  flags.data.AddTo(command);
  flags.with_data.AddTo(command);
  flags.compute.AddTo(command);
}

}  // namespace

Command AddInterpolate(CLI::App& program, Context& context) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command =
      program.add_subcommand("interpolate", kInterpolateDescription);
  AddFlags(*command, *flags);
  command->footer(R"(
The barrier is the largest loss on the line minus the mean of the losses at
its ends.

Examples:
  rebasin interpolate a.safetensors b.safetensors --data data/digits \
      --plot curves.png
  rebasin interpolate a.safetensors b.safetensors --model resnet20 --repair bn \
      --data cifar10 --part test --csv curves.csv)");
  return {command, [flags, &context] {
            return InterpolateCommand(*flags, context).Run();
          }};
}

}  // namespace rebasin::cli
