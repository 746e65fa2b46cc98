// rebasin plane: the loss over the plane through three models.

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/curve_output.h"
#include "cli/data_flags.h"
#include "cli/match_flags.h"
#include "cli/match_report.h"
#include "cli/networks.h"
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

void Draw(const Plane& plane, const std::array<std::string, 3>& names,
          const std::string& title, const std::string& path, bool force) {
  Contour contour{.title = title,
                  .x_label = "distance in weight space",
                  .z_label = "loss",
                  .x = plane.x,
                  .y = plane.y};
  for (const Evaluation& at : plane.grid) contour.z.push_back(at.loss);
  for (size_t m = 0; m < names.size(); ++m) {
    contour.points.push_back(
        {names[m], plane.models[m][0], plane.models[m][1]});
  }
  contour.paths = {{.from = contour.points[0], .to = contour.points[1]},
                   {.from = contour.points[0], .to = contour.points[2]}};
  WriteContour(contour, path, force);
}

int RunPlane(const Flags& flags, const Context& context) {
  Console console(context);
  ProgressBar progress(console);
  const Run run = RunFor(console, &progress);
  if (!flags.csv.empty()) CheckTextOutput(flags.csv, context);
  CheckPictureOutput(flags.plot, context);
  const MatchOptions match = flags.match.Options();
  std::vector<std::string> paths = {flags.a, flags.b};
  if (!flags.c.empty()) paths.push_back(flags.c);
  const std::vector<Model> models = OpenModels(
      paths,
      ModelOptionsFor(flags.match.structure, StructureNeed::kGraph, context),
      console);
  const Checkpoint &a = models[0].weights, &b = models[1].weights;
  const Structure& structure = models[0].structure;
  const bool train = ParseChoice<bool>("--part", flags.part,
                                       {{"train", true}, {"test", false}});
  const int resolution =
      static_cast<int>(ParseInteger("--resolution", flags.resolution, 2, 1000));
  if (context.dry_run) {
    const int64_t points = int64_t{resolution} * resolution;
    console.Result(
        "dry run: would measure " + Count(points, "point") + "\n",
        {{"command", "plane"}, {"dry_run", true}, {"points", points}});
    return 0;
  }
  // Without a third model: A, B, and B as it lies when matched to A.
  const bool matched = flags.c.empty();
  const Checkpoint c =
      matched
          ? Permute(
                b, Align(models[0], models[1], {.match = match}, run).alignment,
                run)
          : models[2].weights;
  progress.Clear();
  const ModelData data = flags.data.Open(console, {&a, &b});
  const Plane plane = EvaluatePlane(
      structure.graph, {{{.model = &a}, {.model = &b}, {.model = &c}}},
      train ? data.splits.train : data.splits.test,
      {.resolution = resolution,
       .evaluate = {.compute = flags.compute.Options(),
                    .normalization = data.normalization}},
      run);
  progress.Clear();
  const std::array<std::string, 3> names = {"A", "B", matched ? "π(B)" : "C"};
  if (!flags.csv.empty()) {
    WriteText(flags.csv, PlaneCsv(plane), context.force);
  }
  if (!flags.plot.empty()) {
    Draw(plane, names, structure.name, flags.plot, context.force);
  }
  Table table("lrr", {"model", "x", "y"});
  Json places = Json::array();
  for (size_t m = 0; m < names.size(); ++m) {
    table.Add(
        {names[m], Number(plane.models[m][0]), Number(plane.models[m][1])});
    places.push_back(plane.models[m]);
  }
  Json losses = Json::array();
  for (const Evaluation& at : plane.grid) losses.push_back(at.loss);
  console.Result(RecognisedText(structure) + table.Text() +
                     Count(static_cast<int64_t>(plane.grid.size()), "point") +
                     " evaluated\n",
                 {{"command", "plane"},
                  {"model", structure.name},
                  {"x", plane.x},
                  {"y", plane.y},
                  {"loss", std::move(losses)},
                  {"models", std::move(places)}});
  return 0;
}

}  // namespace

Command AddPlane(CLI::App& program, Context& context) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = program.add_subcommand("plane", kPlaneDescription);
  command->add_option("a", flags->a, "The model at the origin")->required();
  command->add_option("b", flags->b, "The model on the x axis")->required();
  command->add_option("c", flags->c, "The third; default: B matched to A");
  const auto add = [&](const char* name, std::string& into, const char* what,
                       const char* type) {
    command->add_option(name, into, what)->type_name(type);
  };
  add("--resolution", flags->resolution, "Points along each axis; default 25",
      "N");
  add("--part", flags->part, "test (default) or train", "WORD");
  add("--csv", flags->csv, "Also write the points here", "FILE");
  add("--plot", flags->plot, "Also draw the contours: .svg or .png", "FILE");
  flags->match.AddTo(*command);
  flags->data.AddTo(*command);
  flags->compute.AddTo(*command);
  command->footer(R"(
Example:
  rebasin plane a.safetensors b.safetensors --data data/digits \
      --plot plane.png)");
  return {command, [flags, &context] { return RunPlane(*flags, context); }};
}

}  // namespace rebasin::cli
