// rebasin compare: compares the methods to match two models.

#include <sstream>

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
#include "rebasin/merge.h"
#include "rebasin/repair.h"

namespace rebasin::cli {
namespace {

struct Flags {
  LineFlags line = {.points = "11", .samples = "10000"};
  std::string methods = "identity,greedy,paper,weights,activations,ste";
  std::string repair = "auto", csv, curves;
};

std::vector<std::string> ParseMethods(const std::string& text) {
  std::vector<std::string> names;
  if (text == "all") {
    for (const AlignMethod& method : AlignMethods()) {
      names.push_back(method.name);
    }
    return names;
  }
  std::istringstream words(text);
  std::string word;
  while (std::getline(words, word, ',')) {
    names.push_back(ParseAlignMethod("--methods", word, {"all"}).name);
  }
  if (names.empty()) throw Error(ErrorCode::kUsage, "--methods is empty");
  return names;
}

// One line between A and a permuted B.
struct Row {
  std::string method, repair;
  double objective = 0, distance = 0, seconds = 0;
  Line line = {};
};

// The columns of the table: headings and cells.
struct Column {
  const char* name;
  std::function<double(const Row&)> value;
  bool is_share = false;
};

std::vector<Column> Columns(const DataSplits& parts) {
  std::vector<Column> columns = {
      {"objective", [](const Row& r) { return r.objective; }},
      {"distance", [](const Row& r) { return r.distance; }}};
  if (!parts.train.empty()) {
    columns.push_back({"train midpoint", [](const Row& r) {
                         return r.line.train.midpoint_loss;
                       }});
    columns.push_back(
        {"train barrier", [](const Row& r) { return r.line.train.loss; }});
  }
  if (!parts.test.empty()) {
    columns.push_back({"test midpoint",
                       [](const Row& r) { return r.line.test.midpoint_loss; }});
    columns.push_back(
        {"accuracy", [](const Row& r) { return r.line.test.midpoint_accuracy; },
         true});
    columns.push_back(
        {"test barrier", [](const Row& r) { return r.line.test.loss; }});
  }
  columns.push_back({"seconds", [](const Row& r) { return r.seconds; }});
  return columns;
}

class CompareCommand {
 public:
  CompareCommand(const Flags& flags, const Context& context)
      : flags_(flags),
        context_(context),
        console_(context),
        progress_(console_) {}

  int Run() {
    Open();
    if (context_.dry_run) return DryRun();
    for (const std::string& method : methods_) Compare(method);
    progress_.Clear();
    Write();
    console_.Result(RecognisedText(line_.a.structure) + TableText() + Parents(),
                    ToJson());
    return 0;
  }

 private:
  void Open() {
    methods_ = ParseMethods(flags_.methods);
    for (const std::string& path : {flags_.csv, flags_.curves}) {
      if (!path.empty()) CheckTextOutput(path, context_);
    }
    line_ = OpenLine(flags_.line, context_, console_);
    repair_ = flags_.repair == "auto" ? UsualRepair(*line_.a.structure.graph)
                                      : flags_.repair;
  }

  int DryRun() {
    std::string text = "dry run: would compare";
    for (const std::string& method : methods_) text += " " + method;
    console_.Result(text + "\n", {{"command", "compare"}});
    return 0;
  }

  void Compare(const std::string& method) {
    const auto begin = std::chrono::steady_clock::now();
    const DataAlignResult found =
        RunMatchJob(JobFor(flags_.line, line_, method), line_.a, line_.b,
                    console_, progress_);
    const std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - begin;
    const MatchReport& report = found.match.report;
    const Checkpoint moved =
        Permute(line_.b.weights, found.match.alignment, RunFor(console_));
    std::vector<std::string> repairs = {"none"};
    if (repair_ != "none") repairs.push_back(repair_);
    for (const std::string& repair : repairs) {
      rows_.push_back(
          {.method = method,
           .repair = repair,
           .objective = report.objective_after,
           .distance =
               Distance(report.objective_after, report.norm_a, report.norm_b),
           .seconds = seconds.count(),
           .line = MeasureLine(
               line_.setup, line_.a.weights, moved, repair,
               RunFor(console_, &progress_)
                   .WithStagePrefix(NameOf(method, repair) + ": "))});
    }
  }

  static std::string NameOf(const std::string& method,
                            const std::string& repair) {
    return repair == "none" ? method : method + ", " + repair;
  }

  std::string TableText() const {
    const std::vector<Column> columns = Columns(line_.setup.parts);
    std::vector<std::string> header = {"method"};
    for (const Column& column : columns) header.push_back(column.name);
    Table table("l" + std::string(columns.size(), 'r'), header);
    for (const Row& row : rows_) {
      std::vector<std::string> cells = {NameOf(row.method, row.repair)};
      for (const Column& column : columns) {
        const double value = column.value(row);
        cells.push_back(column.is_share ? Percent(value) : Number(value));
      }
      table.Add(std::move(cells));
    }
    return table.Text();
  }

  std::string TableCsv() const {
    const std::vector<Column> columns = Columns(line_.setup.parts);
    std::string csv = "method,repair";
    for (const Column& column : columns) {
      std::string name = column.name;
      std::replace(name.begin(), name.end(), ' ', '_');
      csv += "," + name;
    }
    for (const Row& row : rows_) {
      csv += "\n" + row.method + "," + row.repair;
      for (const Column& column : columns) {
        csv += "," + Number(column.value(row), 9);
      }
    }
    return csv + "\n";
  }

  // The ends of all lines are the same.
  std::string Parents() const {
    Table table("lrr", {"", "test loss", "accuracy"});
    if (line_.setup.parts.test.empty()) return "";
    const std::vector<LinePoint>& points = rows_.front().line.points;
    const auto add = [&](const std::string& name, const Evaluation& found) {
      table.Add({name, Number(found.loss), Percent(found.accuracy)});
    };
    add("A", points.front().test);
    add("B", points.back().test);
    return "\n" + table.Text();
  }

  std::vector<NamedLine> Lines() const {
    std::vector<NamedLine> lines;
    for (const Row& row : rows_) {
      lines.push_back({NameOf(row.method, row.repair), row.line});
    }
    return lines;
  }

  Json ToJson() const {
    Json rows = Json::array();
    for (const Row& row : rows_) {
      Json entry = CurveJson({{NameOf(row.method, row.repair), row.line}})[0];
      entry["method"] = row.method;
      entry["repair"] = row.repair;
      entry["objective"] = row.objective;
      entry["distance"] = row.distance;
      entry["seconds"] = row.seconds;
      rows.push_back(std::move(entry));
    }
    return {{"command", "compare"},  {"a", flags_.line.a},
            {"b", flags_.line.b},    {"model", line_.a.structure.name},
            {"seed", context_.seed}, {"rows", std::move(rows)}};
  }

  void Write() {
    if (!flags_.csv.empty()) WriteText(flags_.csv, TableCsv(), context_.force);
    if (!flags_.curves.empty()) {
      WriteText(flags_.curves, CurveCsv(Lines()), context_.force);
    }
    if (!flags_.line.plot.empty()) {
      WriteFigure(Losses(), flags_.line.plot, context_.force);
    }
    WritePage(Page(), flags_.line.report, context_);
  }

  Document Page() const {
    Document page{.title = "Matching methods: " + line_.a.structure.name,
                  .question = "Which method of matching " + flags_.line.b +
                              " to " + flags_.line.a +
                              " gives the lowest loss between them?"};
    page.blocks = {
        Plot{"losses", "The losses from A to the matched B.", Losses()},
        PageTable()};
    return page;
  }

  DataTable PageTable() const {
    DataTable table{.name = "methods",
                    .caption = "Midpoints and barriers",
                    .columns = {"method"}};
    const std::vector<Column> columns = Columns(line_.setup.parts);
    for (const Column& column : columns) table.columns.push_back(column.name);
    for (const Row& row : rows_) {
      std::vector<Cell> cells = {NameOf(row.method, row.repair)};
      for (const Column& column : columns) {
        const double value = column.value(row);
        cells.push_back(column.is_share ? lab::PercentCell(value)
                                        : lab::NumberCell(value));
      }
      table.rows.push_back(std::move(cells));
    }
    return table;
  }

  // Unrepaired and repaired lines side by side.
  Figure Losses() const {
    std::vector<LineGroup> groups = {{"without repair", {}}};
    if (repair_ != "none") groups.push_back({"with repair: " + repair_, {}});
    for (const Row& row : rows_) {
      groups[row.repair == "none" ? 0 : 1].lines.push_back(
          {row.method, row.line});
    }
    return LossesFigure(groups,
                        "from A to B, matched: " + line_.a.structure.name);
  }

  const Flags& flags_;
  const Context& context_;
  Console console_;
  ProgressBar progress_;
  std::vector<std::string> methods_;
  OpenedLine line_;
  std::string repair_;
  std::vector<Row> rows_;
};

void AddFlags(CLI::App& command, Flags& flags) {
  const OptionAdder add(command);
  add("--methods", flags.methods,
      "Separated by commas, or all; default "
      "identity,greedy,paper,weights,activations,ste",
      "WORD,...");
  add("--repair", flags.repair,
      "Also evaluate the lines with each point repaired: auto (default; bn "
      "with BatchNorm, else repair), none, " +
          RepairNames(),
      "WORD");
  add("--csv", flags.csv, "Also write the table to this file", "FILE");
  add("--curves", flags.curves, "Also write all points to this file, as CSV",
      "FILE");
  flags.line.AddTo(command);
}

}  // namespace

Command AddCompare(CLI::App& program, Context& context) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = program.add_subcommand("compare", kCompareDescription);
  AddFlags(*command, *flags);
  command->footer("\nMethods:\n" + MatchMethodsText() + R"(
The midpoint is half-way between A and the permuted B; the barrier is the
largest loss on the line minus the mean of the losses at its ends.

Examples:
  rebasin compare a.safetensors b.safetensors --data mnist --plot curves.png
  rebasin compare a.safetensors b.safetensors --model resnet20 --data cifar10 \
      --methods all --csv table.csv)");
  return {command,
          [flags, &context] { return CompareCommand(*flags, context).Run(); }};
}

}  // namespace rebasin::cli
