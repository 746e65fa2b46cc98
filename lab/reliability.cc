#include "lab/reliability.h"

#include "lab/blocks.h"

namespace rebasin::lab {
namespace {

// Bins with fewer predictions are too noisy.
constexpr int64_t kMinInBin = 20;

}  // namespace

DataTable EvaluationTable(const std::string& name, const std::string& caption,
                          const std::vector<NamedEvaluation>& networks) {
  DataTable table{
      .name = name,
      .caption = caption,
      .columns = {"network", "loss", "accuracy", "calibration error"}};
  for (const NamedEvaluation& network : networks) {
    table.rows.push_back({network.name, NumberCell(network.evaluation.loss),
                          PercentCell(network.evaluation.accuracy),
                          NumberCell(network.evaluation.calibration_error, 3)});
  }
  return table;
}

Plot ReliabilityPlot(const std::string& name, const std::string& title,
                     const std::vector<NamedEvaluation>& networks) {
  LineChart chart{.x_label = "confidence, %", .y_label = "accuracy, %"};
  chart.series.push_back(
      {.name = "", .x = {0, 100}, .y = {0, 100}, .dashes = true, .color = 6});
  for (const NamedEvaluation& network : networks) {
    Series series{.name = network.name};
    for (const ReliabilityBin& bin : network.evaluation.bins) {
      if (bin.count < kMinInBin) continue;
      series.x.push_back(100 * bin.confidence);
      series.y.push_back(100 * bin.accuracy);
    }
    chart.series.push_back(std::move(series));
  }
  return {.name = name,
          .caption =
              "How often predictions are right against how sure the "
              "network is of them. Below the dashed line it is too sure "
              "of itself.",
          .figure = {.title = title, .panels = {chart}}};
}

}  // namespace rebasin::lab
