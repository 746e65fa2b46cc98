// rebasin plane: the loss over the plane through three models.

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/curve_output.h"
#include "cli/data_flags.h"
#include "cli/match_flags.h"
#include "cli/match_report.h"
#include "cli/models.h"
#include "cli/networks.h"
#include "cli/output.h"
#include "rebasin/error.h"
#include "rebasin/interpolate.h"
#include "rebasin/match_scaled.h"
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

Alignment Match(const Checkpoint& a, const Checkpoint& b,
                const Structure& structure, const MatchOptions& options) {
  const auto& symmetry = structure.symmetry;
  return symmetry->scalings().empty()
             ? MatchWeights(a, b, symmetry, options).alignment
             : MatchWeightsScaled(a, b, symmetry, options).alignment;
}

int RunPlane(const Flags& flags, const Context& context) {
  Console console(context);
  Progress progress(console);
  if (!flags.csv.empty()) CheckTextOutput(flags.csv, context);
  CheckPictureOutput(flags.plot, context);
  const MatchOptions match = flags.match.Options(context, &progress);
  std::vector<std::string> paths = {flags.a, flags.b};
  if (!flags.c.empty()) paths.push_back(flags.c);
  const OpenedModels models =
      OpenModels(paths, context, console, "", flags.match.structure.trained);
  RequireSameGraphs(models);
  const Checkpoint& a = models.weights[0];
  const Checkpoint& b = models.weights[1];
  const Structure structure =
      RunnableFor(flags.match.structure, models, console);
  // Without a third model: A, B, and B as it lies when matched to A.
  const bool matched = flags.c.empty();
  const Checkpoint c =
      matched ? Permute(b, Match(a, b, structure, match), context.threads)
              : models.weights[2];
  progress.Clear();
  CheckSameStructure(a, b);
  CheckSameStructure(a, c);
  const OpenedData data = flags.data.Open(console, {&a, &b});
  const bool train = ParseChoice<bool>("--part", flags.part,
                                       {{"train", true}, {"test", false}});
  const Plane plane = EvaluatePlane(
      structure.graph, {{{.model = &a}, {.model = &b}, {.model = &c}}},
      train ? data.splits.train : data.splits.test,
      {.resolution = static_cast<int>(
           ParseInteger("--resolution", flags.resolution, 2, 1000)),
       .evaluate = {.compute = flags.compute.Options(context),
                    .normalization = data.normalization},
       .progress = [&](int64_t done, int64_t all) {
         progress.Update("points", done, all);
       }});
  progress.Clear();
  const std::array<std::string, 3> names = {"A", "B", matched ? "π(B)" : "C"};
  if (!context.dry_run && !flags.csv.empty()) {
    WriteText(flags.csv, PlaneCsv(plane), context.force);
  }
  if (!context.dry_run && !flags.plot.empty()) {
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
  console.Result(structure.recognised + table.Text() +
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
