// rebasin interpolate: the loss between two models.

#include "rebasin/interpolate.h"

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/curve_output.h"
#include "cli/line_flags.h"
#include "cli/match_method.h"
#include "cli/match_report.h"
#include "cli/output.h"
#include "cli/page.h"
#include "cli/repair.h"
#include "lab/blocks.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

struct Flags {
  LineFlags line = {.points = "25"};
  std::string method = "linear", align = "weights", repair = "none", csv;
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
    std::vector<NamedLine> lines;
    if (flags_.align == "none" || !flags_.no_naive) {
      lines.push_back({Named("naive"), Measure(nullptr)});
    }
    std::string text = line_.structure.recognised;
    if (flags_.align != "none") {
      const Alignment alignment = FindAlignment(&text);
      lines.push_back({Named("aligned"), Measure(&alignment)});
    }
    progress_.Clear();
    Write(lines);
    console_.Result(text + CurveText(lines), {{"command", "interpolate"},
                                              {"a", flags_.line.a},
                                              {"b", flags_.line.b},
                                              {"model", line_.structure.name},
                                              {"normalize", line_.normalize},
                                              {"method", flags_.method},
                                              {"repair", flags_.repair},
                                              {"lines", CurveJson(lines)}});
    return 0;
  }

 private:
  void Open() {
    if (!flags_.csv.empty()) CheckTextOutput(flags_.csv, context_);
    line_ = OpenLine(flags_.line, context_, console_, progress_);
    line_.setup.options.method = ParseChoice<MergeMethod>(
        "--method", flags_.method,
        {{"linear", MergeMethod::kLinear}, {"slerp", MergeMethod::kSlerp}});
  }

  std::string Named(const std::string& line) const {
    return flags_.repair == "none" ? line : line + ", " + flags_.repair;
  }

  Alignment FindAlignment(std::string* text) {
    if (!IsMatchMethod(flags_.align)) {
      return Alignment::Load(flags_.align, Fingerprint(line_.b));
    }
    const FoundMatch found =
        RunMatchJob(JobFor(flags_.line, line_, flags_.align), line_.a, line_.b,
                    line_.structure, console_, progress_);
    progress_.Clear();
    WarnUnlessConverged(found.match.report, console_);
    *text += ReportText(found.match, false) + found.text;
    return found.match.alignment;
  }

  Line Measure(const Alignment* alignment) {
    const Checkpoint moved =
        alignment == nullptr ? line_.b
                             : Permute(line_.b, *alignment, context_.threads);
    return MeasureLine(line_.setup, line_.a, moved, flags_.repair,
                       alignment == nullptr ? "naive line" : "aligned line",
                       progress_);
  }

  void Write(const std::vector<NamedLine>& lines) {
    if (context_.dry_run) return;
    if (!flags_.csv.empty()) {
      WriteText(flags_.csv, CurveCsv(lines), context_.force);
    }
    if (!flags_.line.plot.empty()) {
      WriteFigure(CurvesFigure(lines, line_.structure.name), flags_.line.plot,
                  context_.force);
    }
    WritePage(Page(lines), flags_.line.report, context_);
  }

  Document Page(const std::vector<NamedLine>& lines) const {
    Document page{.title = "Between two networks: " + line_.structure.name,
                  .question = "What is the loss on the line from " +
                              flags_.line.a + " to " + flags_.line.b + "?"};
    page.blocks = {lab::LinesPlot("curves", line_.structure.name,
                                  "Loss and accuracy from A to B.", lines),
                   lab::LinesTable("barriers", "Barriers", lines)};
    return page;
  }

  const Flags& flags_;
  const Context& context_;
  Console console_;
  Progress progress_;
  OpenedLine line_;
};

void AddFlags(CLI::App& command, Flags& flags) {
  const auto add = [&](const char* name, std::string& into, const char* what,
                       const char* type) {
    command.add_option(name, into, what)->type_name(type);
  };
  add("--method", flags.method, "linear (default) or slerp", "WORD");
  add("--align", flags.align,
      "The naive line, and the one to B matched to A by weights (default) or "
      "another method (see `rebasin match --help`); none: the naive line only; "
      "or an alignment",
      "WORD|FILE");
  add("--repair", flags.repair,
      "What is done to each point: none (default), bn, repair, rescale, bias",
      "WORD");
  add("--csv", flags.csv, "Also write the points here", "FILE");
  command.add_flag("--no-naive", flags.no_naive, "Leave out the naive line");
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
