#include "cli/line_flags.h"

#include "cli/arguments.h"
#include "cli/curve_output.h"
#include "cli/option_adder.h"
#include "cli/output.h"
#include "cli/structure.h"

namespace rebasin::cli {

void LineFlags::AddTo(CLI::App& command) {
  command.add_option("a", a, "Model A (lambda 0), which is not permuted")
      ->required();
  command.add_option("b", b, "Model B (lambda 1), which is matched to A")
      ->required();
  const OptionAdder add(command);
  add("--points", points,
      "Points on the line, ends included; default " + points, "N");
  add("--part", part, "Part of the data: both (default), train or test",
      "WORD");
  add("--samples", samples,
      "Evaluate on the first N examples of each part; default " +
          (samples.empty() ? "all" : samples),
      "N");
  add("--batch-size", batch,
      "Batch size of each thread; default: so that activations fit the cache",
      "N");
  add("--calibrate", calibrate,
      "Training examples for the repair, drawn by --seed from every class; "
      "default " +
          calibrate,
      "N");
  add("--plot", plot, "Also write a chart of the curves: .svg or .png", "FILE");
  add("--report", report, "Also write a report page: .html", "FILE");
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
      ParseInteger("--calibrate", flags.calibrate, 2, int64_t{1} << 40),
      context.seed);
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
