#include "cli/curve_output.h"

#include <array>

#include "base/text.h"
#include "cli/output.h"
#include "report/chart.h"
#include "report/picture.h"

namespace rebasin::cli {
namespace {

struct Part {
  const char* name;
  Evaluation LinePoint::*evaluation;
  Barrier Line::*barrier;
};

constexpr std::array<Part, 2> kParts = {
    Part{"train", &LinePoint::train, &Line::train},
    Part{"test", &LinePoint::test, &Line::test}};

bool Has(const NamedLine& line, const Part& part) {
  return !line.line.points.empty() &&
         (line.line.points.front().*part.evaluation).examples > 0;
}

std::string PointTable(const std::vector<NamedLine>& lines) {
  std::string layout = "r";
  std::vector<std::string> header = {"lambda"};
  for (const NamedLine& line : lines) {
    for (const Part& part : kParts) {
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
      for (const Part& part : kParts) {
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
    for (const Part& part : kParts) {
      if (!Has(line, part)) continue;
      const Barrier& barrier = line.line.*part.barrier;
      table.Add({line.name, part.name, Number(barrier.loss),
                 Fixed(barrier.at, 2), Number(barrier.midpoint_loss),
                 Percent(barrier.midpoint_accuracy)});
    }
  }
  return table.Text();
}

// More lines than this, and the legend leaves out what dashes say.
constexpr size_t kFewLines = 3;
constexpr const char* kDashes = "solid: training data, dashed: test data";

std::string LegendName(const NamedLine& line, const Part& part, bool few) {
  if (few) return line.name + ", " + part.name;
  const bool first =
      part.evaluation == &LinePoint::train || !Has(line, kParts[0]);
  return first ? line.name : "";
}

double LossOf(const Evaluation& at) { return at.loss; }
double PercentOf(const Evaluation& at) { return 100 * at.accuracy; }

LineChart Panel(const std::vector<NamedLine>& lines, const std::string& label,
                double (*measure)(const Evaluation&)) {
  LineChart chart{.x_label = "lambda: the share of B", .y_label = label};
  const bool few = lines.size() <= kFewLines;
  for (size_t l = 0; l < lines.size(); ++l) {
    for (const Part& part : kParts) {
      if (!Has(lines[l], part)) continue;
      const bool test = part.evaluation == &LinePoint::test;
      Series series{.name = LegendName(lines[l], part, few),
                    .dashes = test,
                    .color = static_cast<int>(l)};
      for (const LinePoint& point : lines[l].line.points) {
        series.x.push_back(point.lambda);
        series.y.push_back(measure(point.*part.evaluation));
      }
      chart.series.push_back(std::move(series));
    }
  }
  return chart;
}

}  // namespace

void CheckPictureOutput(const std::filesystem::path& path, bool force) {
  if (path.empty()) return;
  FormatOf(path);
  CheckTextOutput(path, force);
}

std::string CurveText(const std::vector<NamedLine>& lines) {
  return PointTable(lines) + "\n" + BarrierTable(lines);
}

std::string CurveCsv(const std::vector<NamedLine>& lines) {
  std::string csv = "line,lambda,part,loss,accuracy,calibration_error\n";
  for (const NamedLine& line : lines) {
    for (const LinePoint& point : line.line.points) {
      for (const Part& part : kParts) {
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
    for (const Part& part : kParts) {
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

void WriteCurves(const std::vector<NamedLine>& lines, const std::string& title,
                 const std::filesystem::path& path, bool force) {
  WriteFigure({.title = title,
               .subtitle = lines.size() > kFewLines ? kDashes : "",
               .panels = {Panel(lines, "loss", LossOf),
                          Panel(lines, "accuracy, %", PercentOf)}},
              path, force);
}

void WriteLosses(const std::vector<LineGroup>& groups, const std::string& title,
                 const std::filesystem::path& path, bool force) {
  Figure figure{.title = title, .subtitle = kDashes, .panels = {}};
  for (const LineGroup& group : groups) {
    LineChart panel = Panel(group.lines, "loss", LossOf);
    panel.title = group.title;
    figure.panels.push_back(std::move(panel));
  }
  WriteFigure(figure, path, force);
}

}  // namespace rebasin::cli
