#include "lab/line_json.h"

#include <cmath>
#include <limits>

namespace rebasin::lab {
namespace {

// JSON cannot represent numbers that are not finite.
Json Number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

double NumberFrom(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::infinity()
                        : json.get<double>();
}

}  // namespace

Json ToJson(const Evaluation& evaluation) {
  Json bins = Json::array();
  for (const ReliabilityBin& bin : evaluation.bins) {
    bins.push_back({bin.count, bin.confidence, bin.accuracy});
  }
  return {{"examples", evaluation.examples},
          {"loss", Number(evaluation.loss)},
          {"accuracy", evaluation.accuracy},
          {"top5", evaluation.top5},
          {"calibration", evaluation.calibration_error},
          {"bins", std::move(bins)}};
}

Evaluation EvaluationFromJson(const Json& json) {
  Evaluation evaluation;
  evaluation.examples = json.at("examples");
  evaluation.loss = NumberFrom(json.at("loss"));
  evaluation.accuracy = json.at("accuracy");
  evaluation.top5 = json.at("top5");
  evaluation.calibration_error = json.at("calibration");
  for (const Json& bin : json.at("bins")) {
    evaluation.bins.push_back(
        {.count = bin.at(0), .confidence = bin.at(1), .accuracy = bin.at(2)});
  }
  return evaluation;
}

Json ToJson(const Line& line) {
  Json points = Json::array();
  for (const LinePoint& point : line.points) {
    points.push_back({{"lambda", point.lambda},
                      {"train", ToJson(point.train)},
                      {"test", ToJson(point.test)}});
  }
  return points;
}

Line LineFromJson(const Json& json) {
  Line line;
  for (const Json& point : json) {
    line.points.push_back({.lambda = point.at("lambda"),
                           .train = EvaluationFromJson(point.at("train")),
                           .test = EvaluationFromJson(point.at("test"))});
  }
  line.train = BarrierOf(line.points, &LinePoint::train);
  line.test = BarrierOf(line.points, &LinePoint::test);
  return line;
}

}  // namespace rebasin::lab
