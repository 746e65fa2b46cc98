// rebasin plane: the loss over the plane through three models.

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/curve_output.h"
#include "cli/data_flags.h"
#include "cli/match_flags.h"
#include "cli/match_report.h"
#include "cli/networks.h"
#include "cli/option_adder.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/structure.h"
#include "rebasin/align.h"
#include "rebasin/error.h"
#include "rebasin/nn/interpolate.h"
#include "report/contour.h"

namespace rebasin::cli {
namespace {

struct Flags {
  std::string a, b, c;
  std::string resolution = "25", part = "test", csv, plot;
  MatchFlags match;
  DataFlags data;
  ComputeFlags compute;
};

std::string PlaneCsv(const Plane& plane) {
  std::string csv = "x,y,loss,accuracy\n";
  for (size_t i = 0; i < plane.grid.size(); ++i) {
    csv += Number(plane.x[i % plane.x.size()], 9) + "," +
           Number(plane.y[i / plane.x.size()], 9) + "," +
           Number(plane.grid[i].loss, 9) + "," +
           Number(plane.grid[i].accuracy, 9) + "\n";
  }
  return csv;
}

class PlaneCommand {
 public:
  PlaneCommand(const Flags& flags, const Context& context)
      : flags_(flags),
        context_(context),
        console_(context),
        progress_(console_),
        run_(RunFor(console_, &progress_)) {}

  int Run() {
    Open();
    if (context_.dry_run) return DryRun();
    Measure();
    if (!flags_.csv.empty()) {
      WriteText(flags_.csv, PlaneCsv(plane_), context_.force);
    }
    if (!flags_.plot.empty()) Draw();
    Report();
    return 0;
  }

 private:
  void Open() {
    if (!flags_.csv.empty()) CheckTextOutput(flags_.csv, context_);
    CheckPictureOutput(flags_.plot, context_);
    match_ = flags_.match.Options();
    resolution_ = static_cast<int>(
        ParseInteger("--resolution", flags_.resolution, 2, 1000));
    uses_train_ = ParseChoice<bool>("--part", flags_.part,
                                    {{"train", true}, {"test", false}});
    std::vector<std::string> paths = {flags_.a, flags_.b};
    if (!flags_.c.empty()) paths.push_back(flags_.c);
    models_ = OpenModels(paths,
                         ModelOptionsFor(flags_.match.structure,
                                         StructureNeed::kGraph, context_),
                         console_);
  }

  int DryRun() {
    const int64_t points = int64_t{resolution_} * resolution_;
    console_.Result(
        "dry run: would measure " + Count(points, "point") + "\n",
        {{"command", "plane"}, {"dry_run", true}, {"points", points}});
    return 0;
  }

  // Model C; if it is not given, B aligned to A.
  Checkpoint Third() {
    if (!flags_.c.empty()) return models_[2].weights;
    const MatchResult found =
        Align(models_[0], models_[1], {.match = match_}, run_);
    return Permute(models_[1].weights, found.alignment, run_);
  }

  void Measure() {
    const Checkpoint &a = models_[0].weights, &b = models_[1].weights;
    const Checkpoint c = Third();
    progress_.Clear();
    const ModelData data = flags_.data.Open(console_, {&a, &b});
    plane_ = EvaluatePlane(models_[0].graph(),
                           {{{.model = &a}, {.model = &b}, {.model = &c}}},
                           uses_train_ ? data.splits.train : data.splits.test,
                           {.resolution = resolution_,
                            .evaluate = {.compute = flags_.compute.Options(),
                                         .normalization = data.normalization}},
                           run_);
    progress_.Clear();
  }

  std::array<std::string, 3> Names() const {
    return {"A", "B", flags_.c.empty() ? "π(B)" : "C"};
  }

  void Draw() const {
    const auto names = Names();
    Contour contour{.title = models_[0].structure.name,
                    .x_label = "distance in weight space",
                    .z_label = "loss",
                    .x = plane_.x,
                    .y = plane_.y};
    for (const Evaluation& at : plane_.grid) contour.z.push_back(at.loss);
    for (size_t m = 0; m < names.size(); ++m) {
      contour.points.push_back(
          {names[m], plane_.models[m][0], plane_.models[m][1]});
    }
    contour.paths = {{.from = contour.points[0], .to = contour.points[1]},
                     {.from = contour.points[0], .to = contour.points[2]}};
    WriteContour(contour, flags_.plot, context_.force);
  }

  void Report() {
    const auto names = Names();
    Table table("lrr", {"model", "x", "y"});
    Json places = Json::array(), losses = Json::array();
    for (size_t m = 0; m < names.size(); ++m) {
      table.Add(
          {names[m], Number(plane_.models[m][0]), Number(plane_.models[m][1])});
      places.push_back(plane_.models[m]);
    }
    for (const Evaluation& at : plane_.grid) losses.push_back(at.loss);
    const Structure& structure = models_[0].structure;
    console_.Result(
        RecognisedText(structure) + table.Text() +
            Count(static_cast<int64_t>(plane_.grid.size()), "point") +
            " evaluated\n",
        {{"command", "plane"},
         {"model", structure.name},
         {"x", plane_.x},
         {"y", plane_.y},
         {"loss", std::move(losses)},
         {"models", std::move(places)}});
  }

  const Flags& flags_;
  const Context& context_;
  Console console_;
  ProgressBar progress_;
  const rebasin::Run run_;
  MatchOptions match_;
  int resolution_ = 0;
  bool uses_train_ = false;
  std::vector<Model> models_;
  Plane plane_;
};

}  // namespace

Command AddPlane(CLI::App& program, Context& context) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = program.add_subcommand("plane", kPlaneDescription);
  command->add_option("a", flags->a, "Model A, at the origin")->required();
  command->add_option("b", flags->b, "Model B, on the x axis")->required();
  command->add_option("c", flags->c, "Model C; default: B matched to A");
  const OptionAdder add(*command);
  add("--resolution", flags->resolution, "Points along each axis; default 25",
      "N");
  add("--part", flags->part, "Part of the data: test (default) or train",
      "WORD");
  add("--csv", flags->csv, "Also write the points to this file", "FILE");
  add("--plot", flags->plot, "Also write a map of the contours: .svg or .png",
      "FILE");
  flags->match.AddTo(*command);
  flags->data.AddTo(*command);
  flags->compute.AddTo(*command);
  command->footer(R"(
Example:
  rebasin plane a.safetensors b.safetensors --data data/digits \
      --plot plane.png)");
  return {command,
          [flags, &context] { return PlaneCommand(*flags, context).Run(); }};
}

}  // namespace rebasin::cli
