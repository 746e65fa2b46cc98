// rebasin interpolate: the loss between two models.

#include "rebasin/nn/interpolate.h"

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/curve_output.h"
#include "cli/line_flags.h"
#include "cli/match_method.h"
#include "cli/match_report.h"
#include "cli/option_adder.h"
#include "cli/output.h"
#include "cli/page.h"
#include "cli/repaired.h"
#include "lab/blocks.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

struct Flags {
  LineFlags line = {.points = "25"};
  // and the old name of --interpolation
  std::string interpolation = "linear", method;
  std::string align = "weights", repair = "none", csv;
  bool no_naive = false;
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
    if (context_.dry_run) return DryRun();
    std::vector<NamedLine> lines;
    if (flags_.align == "none" || !flags_.no_naive) {
      lines.push_back({Named("naive"), Measure(nullptr)});
    }
    std::string text = RecognisedText(line_.a.structure);
    if (flags_.align != "none") {
      const Alignment alignment = FindAlignment(&text);
      lines.push_back({Named("aligned"), Measure(&alignment)});
    }
    progress_.Clear();
    Write(lines);
    console_.Result(text + CurveText(lines), {{"command", "interpolate"},
                                              {"a", flags_.line.a},
                                              {"b", flags_.line.b},
                                              {"model", line_.a.structure.name},
                                              {"normalize", line_.normalize},
                                              {"method", Interpolation()},
                                              {"repair", flags_.repair},
                                              {"lines", CurveJson(lines)}});
    return 0;
  }

 private:
  void Open() {
    if (!flags_.csv.empty()) CheckTextOutput(flags_.csv, context_);
    line_ = OpenLine(flags_.line, context_, console_);
    line_.setup.options.method = ParseChoice<MergeMethod>(
        "--interpolation", Interpolation(),
        {{"linear", MergeMethod::kLinear}, {"slerp", MergeMethod::kSlerp}});
  }

  const std::string& Interpolation() const {
    return flags_.method.empty() ? flags_.interpolation : flags_.method;
  }

  std::string Named(const std::string& line) const {
    return flags_.repair == "none" ? line : line + ", " + flags_.repair;
  }

  Alignment FindAlignment(std::string* text) {
    if (FindAlignMethod(flags_.align) == nullptr) {
      return Alignment::Load(flags_.align, Fingerprint(line_.b.weights));
    }
    const DataAlignResult found =
        RunMatchJob(JobFor(flags_.line, line_, flags_.align), line_.a, line_.b,
                    console_, progress_);
    progress_.Clear();
    WarnUnlessConverged(found.match.report, console_);
    *text += ReportText(found.match, false) +
             FindingsText(found, {.method = flags_.align});
    return found.match.alignment;
  }

  Line Measure(const Alignment* alignment) {
    const Checkpoint moved =
        alignment == nullptr
            ? line_.b.weights
            : Permute(line_.b.weights, *alignment, RunFor(console_));
    return MeasureLine(
        line_.setup, line_.a.weights, moved, flags_.repair,
        RunFor(console_, &progress_)
            .WithStagePrefix(alignment == nullptr ? "naive line: "
                                                  : "aligned line: "));
  }

  int DryRun() {
    const int64_t lines = (flags_.align != "none" ? 1 : 0) +
                          (flags_.no_naive && flags_.align != "none" ? 0 : 1);
    const int64_t points = lines * line_.setup.options.points;
    console_.Result(
        "dry run: would measure " + Count(points, "point") + "\n",
        {{"command", "interpolate"}, {"dry_run", true}, {"points", points}});
    return 0;
  }

  void Write(const std::vector<NamedLine>& lines) {
    if (!flags_.csv.empty()) {
      WriteText(flags_.csv, CurveCsv(lines), context_.force);
    }
    if (!flags_.line.plot.empty()) {
      WriteFigure(CurvesFigure(lines, line_.a.structure.name), flags_.line.plot,
                  context_.force);
    }
    WritePage(Page(lines), flags_.line.report, context_);
  }

  Document Page(const std::vector<NamedLine>& lines) const {
    Document page{.title = "Between two networks: " + line_.a.structure.name,
                  .question = "What is the loss on the line from " +
                              flags_.line.a + " to " + flags_.line.b + "?"};
    page.blocks = {lab::LinesPlot("curves", line_.a.structure.name,
                                  "Loss and accuracy from A to B.", lines),
                   lab::LinesTable("barriers", "Barriers", lines)};
    return page;
  }

  const Flags& flags_;
  const Context& context_;
  Console console_;
  ProgressBar progress_;
  OpenedLine line_;
};

void AddFlags(CLI::App& command, Flags& flags) {
  const OptionAdder add(command);
  add("--interpolation", flags.interpolation, "linear (default) or slerp",
      "WORD");
  command.add_option("--method", flags.method)->group("");
  add("--align", flags.align,
      "Lines to evaluate: the naive one (without alignment), and the one to B "
      "matched by weights (default) or another method (see `rebasin match "
      "--help`); none: the naive line only; or an alignment file",
      "WORD|FILE");
  add("--repair", flags.repair,
      "Repair of each point: none (default), " + RepairNames(), "WORD");
  add("--csv", flags.csv, "Also write the points to this file", "FILE");
  command.add_flag("--no-naive", flags.no_naive, "Omit the naive line");
  flags.line.AddTo(command);
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
