#include "cli/curve_output.h"

#include "base/text.h"
#include "cli/output.h"
#include "report/chart.h"
#include "report/picture.h"

namespace rebasin::cli {
namespace {

std::string PointTable(const std::vector<NamedLine>& lines) {
  std::string layout = "r";
  std::vector<std::string> header = {"lambda"};
  for (const NamedLine& line : lines) {
    for (const LinePart& part : kLineParts) {
      if (!Has(line, part)) continue;
      layout += "rr";
      header.push_back(line.name + " " + part.name + " loss");
      header.push_back("accuracy");
    }
  }
  Table table(layout, header);
  for (size_t p = 0; p < lines.front().line.points.size(); ++p) {
    std::vector<std::string> row = {
        Fixed(lines.front().line.points[p].lambda, 3)};
    for (const NamedLine& line : lines) {
      for (const LinePart& part : kLineParts) {
        if (!Has(line, part)) continue;
        const Evaluation& at = line.line.points[p].*part.evaluation;
        row.push_back(Number(at.loss));
        row.push_back(Percent(at.accuracy));
      }
    }
    table.Add(row);
  }
  return table.Text();
}

std::string BarrierTable(const std::vector<NamedLine>& lines) {
  Table table("llrrrr",
              {"line", "data", "barrier", "at", "midpoint loss", "accuracy"});
  for (const NamedLine& line : lines) {
    for (const LinePart& part : kLineParts) {
      if (!Has(line, part)) continue;
      const Barrier& barrier = line.line.*part.barrier;
      table.Add({line.name, part.name, Number(barrier.loss),
                 Fixed(barrier.at, 2), Number(barrier.midpoint_loss),
                 Percent(barrier.midpoint_accuracy)});
    }
  }
  return table.Text();
}

}  // namespace

void CheckPictureOutput(const std::filesystem::path& path,
                        const Context& context) {
  if (path.empty()) return;
  FormatOf(path);
  CheckTextOutput(path, context);
}

std::string CurveText(const std::vector<NamedLine>& lines) {
  return PointTable(lines) + "\n" + BarrierTable(lines);
}

std::string CurveCsv(const std::vector<NamedLine>& lines) {
  std::string csv = "line,lambda,part,loss,accuracy,calibration_error\n";
  for (const NamedLine& line : lines) {
    for (const LinePoint& point : line.line.points) {
      for (const LinePart& part : kLineParts) {
        if (!Has(line, part)) continue;
        const Evaluation& at = point.*part.evaluation;
        csv += "\"" + line.name + "\"," + Number(point.lambda, 9) + "," +
               part.name + "," + Number(at.loss, 9) + "," +
               Number(at.accuracy, 9) + "," + Number(at.calibration_error, 9) +
               "\n";
      }
    }
  }
  return csv;
}

Json CurveJson(const std::vector<NamedLine>& lines) {
  Json json = Json::array();
  for (const NamedLine& line : lines) {
    Json entry = {{"name", line.name}};
    for (const LinePart& part : kLineParts) {
      if (!Has(line, part)) continue;
      const Barrier& barrier = line.line.*part.barrier;
      Json points = Json::array();
      for (const LinePoint& point : line.line.points) {
        const Evaluation& at = point.*part.evaluation;
        points.push_back({{"lambda", point.lambda},
                          {"loss", at.loss},
                          {"accuracy", at.accuracy},
                          {"calibration_error", at.calibration_error}});
      }
      entry[part.name] = {{"barrier", barrier.loss},
                          {"barrier_at", barrier.at},
                          {"midpoint_loss", barrier.midpoint_loss},
                          {"midpoint_accuracy", barrier.midpoint_accuracy},
                          {"points", std::move(points)}};
    }
    json.push_back(std::move(entry));
  }
  return json;
}

}  // namespace rebasin::cli
