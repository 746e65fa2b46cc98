#include "cli/line_flags.h"

#include "cli/arguments.h"
#include "cli/curve_output.h"
#include "cli/option_adder.h"
#include "cli/output.h"
#include "cli/structure.h"

namespace rebasin::cli {

void LineFlags::AddTo(CLI::App& command) {
  command.add_option("a", a, "The model that stays, at lambda 0")->required();
  command.add_option("b", b, "The model that is matched to it, at lambda 1")
      ->required();
  const OptionAdder add(command);
  add("--points", points, "On a line, ends included; default " + points, "N");
  add("--part", part, "Measure on both (default), train or test", "WORD");
  add("--samples", samples,
      "Only the first N examples of each part; default " +
          (samples.empty() ? "all" : samples),
      "N");
  add("--batch-size", batch,
      "Examples that a thread runs at once; default: as fit the cache", "N");
  add("--calibrate", calibrate,
      "Examples of the training part for the repair; default 5000", "N");
  add("--plot", plot, "Also draw the curves: .svg or .png", "FILE");
  add("--report", report, "Also write a page to read: .html", "FILE");
  match.AddTo(command);
  data.AddTo(command);
  with_data.AddTo(command);
  compute.AddTo(command);
}

OpenedLine OpenLine(const LineFlags& flags, const Context& context,
                    Console& console) {
  CheckPictureOutput(flags.plot, context);
  CheckPageOutput(flags.report, context);
  OpenedLine line;
  line.match = flags.match.Options();
  std::vector<Model> models =
      OpenModels({flags.a, flags.b},
                 ModelOptionsFor(flags.match.structure, StructureNeed::kGraph,
                                 context, flags.match.dtype),
                 console);
  line.a = std::move(models[0]);
  line.b = std::move(models[1]);
  const ModelData data =
      flags.data.Open(console, {&line.a.weights, &line.b.weights});
  line.normalize = data.normalize;
  LineSetup& setup = line.setup;
  setup.graph = line.a.graph();
  setup.parts = SelectParts(data.splits, flags.part, flags.samples);
  setup.calibration = data.Calibration(
      ParseInteger("--calibrate", flags.calibrate, 2, int64_t{1} << 40));
  setup.options.points =
      static_cast<int>(ParseInteger("--points", flags.points, 2, 10000));
  setup.options.evaluate = {
      .compute = flags.compute.Options(),
      .normalization = data.normalization,
      .batch_size = ParseInteger("--batch-size", flags.batch, 0, 1 << 24)};
  return line;
}

MatchJob JobFor(const LineFlags& flags, const OpenedLine& line,
                const std::string& method) {
  return {.method = method,
          .options = line.match,
          .with_data = flags.with_data,
          .data = flags.data};
}

}  // namespace rebasin::cli
