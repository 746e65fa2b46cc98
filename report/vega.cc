#include "report/vega.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace rebasin {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema =
    "https://vega.github.io/schema/vega-lite/v5.json";

// The schema's name is only an identifier and is not loaded; everything else is
// data.
Json Begin() {
  return {{"$schema", kSchema},
          {"width", "container"},
          {"height", "container"},
          {"autosize", {{"type", "fit"}, {"contains", "padding"}}}};
}

// Escapes text so that it cannot end the script element.
std::string InScript(const Json& json) {
  const std::string text =
      json.dump(-1, ' ', /*ensure_ascii=*/true,
                nlohmann::detail::error_handler_t::replace);
  std::string safe;
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

Json Channel(const char* field, const std::string& title) {
  return {{"field", field}, {"type", "quantitative"}, {"title", title}};
}

// Adds the rows of one series. Hidden values are null, which interrupts the
// line.
void AddRows(Json& rows, const LineChart& chart, const Series& series,
             const Stroke& stroke, size_t number) {
  for (size_t i = 0; i < series.x.size(); ++i) {
    const double y = series.y[i];
    const bool shown = std::isfinite(y) && (!chart.log_y || y > 0);
    rows.push_back({{"x", series.x[i]},
                    {"y", shown ? Json(y) : Json(nullptr)},
                    {"line", number},
                    {"name", FullName(series)},
                    {"color", HexColor(stroke.color)},
                    {"dash", stroke.dashes},
                    {"wide", series.emphasis}});
  }
}

Json DashScale() {
  return {{"field", "dash"},
          {"type", "nominal"},
          {"legend", nullptr},
          {"scale", {{"domain", {false, true}}, {"range", {{1, 0}, {5, 4}}}}}};
}

// False if the data is far above zero, where it would appear flat.
bool StartsAtZero(const LineChart& chart) {
  double low = INFINITY, high = -INFINITY;
  for (const Series& series : chart.series) {
    for (const double y : series.y) {
      if (!std::isfinite(y)) continue;
      low = std::min(low, y);
      high = std::max(high, y);
    }
  }
  return low >= 0 && low < 0.35 * high;
}

// True if x are whole numbers, such as those of layers: no ticks between them.
bool IsCounted(const LineChart& chart) {
  for (const Series& series : chart.series) {
    for (const double x : series.x) {
      if (x != std::round(x)) return false;
    }
  }
  return true;
}

// At most so many ticks, at whole numbers.
constexpr double kMostTicks = 20;

std::vector<double> WholeTicks(const LineChart& chart) {
  double least = INFINITY, largest = -INFINITY;
  for (const Series& series : chart.series) {
    for (const double x : series.x) {
      least = std::min(least, x);
      largest = std::max(largest, x);
    }
  }
  const double step = std::max(1.0, std::ceil((largest - least) / kMostTicks));
  std::vector<double> ticks;
  for (double x = least; x <= largest; x += step) ticks.push_back(x);
  return ticks;
}

Json YScale(const LineChart& chart) {
  if (chart.log_y) return {{"type", "log"}, {"nice", false}};
  return {{"zero", StartsAtZero(chart)}};
}

Json XScale(const LineChart& chart) {
  if (chart.log_x) return {{"type", "log"}, {"base", 2}, {"nice", false}};
  return {{"zero", false}, {"nice", false}};
}

Json Tooltip(const LineChart& chart) {
  return {{{"field", "name"}, {"title", "line"}},
          {{"field", "x"}, {"title", chart.x_label}, {"format", ".4~g"}},
          {{"field", "y"}, {"title", chart.y_label}, {"format", ".4~g"}}};
}

// The grid as rectangles between midpoints, slightly enlarged: the page would
// show through edges that only touch.
Json GridRows(const Contour& contour) {
  const auto half = [](const std::vector<double>& line) {
    return 1.03 * (line.back() - line.front()) /
           (2 * static_cast<double>(line.size() - 1));
  };
  const double dx = half(contour.x), dy = half(contour.y);
  Json rows = Json::array();
  for (size_t r = 0; r < contour.y.size(); ++r) {
    for (size_t c = 0; c < contour.x.size(); ++c) {
      const double z = contour.z[r * contour.x.size() + c];
      if (!std::isfinite(z)) continue;
      rows.push_back({{"x", contour.x[c] - dx},
                      {"x2", contour.x[c] + dx},
                      {"y", contour.y[r] - dy},
                      {"y2", contour.y[r] + dy},
                      {"z", z}});
    }
  }
  return rows;
}

Json LevelColors() {
  Json colors = Json::array();
  for (int i = 0; i <= 10; ++i)
    colors.push_back(HexColor(LevelColor(i / 10.0)));
  return colors;
}

// Losses that span decades need a logarithmic scale.
bool SpansDecades(const Contour& contour) {
  double low = INFINITY, high = 0;
  for (const double z : contour.z) {
    if (!std::isfinite(z)) continue;
    low = std::min(low, z);
    high = std::max(high, z);
  }
  return low > 0 && high > 30 * low;
}

Json MapLayer(const Contour& contour) {
  Json x = Channel("x", contour.x_label);
  x["scale"] = {{"zero", false}, {"nice", false}};
  Json y = Channel("y", contour.y_label);
  y["scale"] = x["scale"];
  Json color = Channel("z", contour.z_label);
  color["scale"] = {{"range", LevelColors()}};
  if (SpansDecades(contour)) color["scale"]["type"] = "log";
  return {{"data", {{"values", GridRows(contour)}}},
          {"mark", {{"type", "rect"}, {"strokeWidth", 0}}},
          {"encoding",
           {{"x", x},
            {"x2", {{"field", "x2"}}},
            {"y", y},
            {"y2", {{"field", "y2"}}},
            {"color", color},
            {"tooltip",
             {{{"field", "z"},
               {"title", contour.z_label},
               {"type", "quantitative"},
               {"format", ".4~g"}}}}}}};
}

Json PathLayer(const Contour& contour) {
  Json rows = Json::array();
  for (const MapPath& path : contour.paths) {
    rows.push_back({{"x", path.from.x},
                    {"y", path.from.y},
                    {"x2", path.to.x},
                    {"y2", path.to.y},
                    {"name", path.name}});
  }
  return {{"data", {{"values", rows}}},
          {"mark", {{"type", "rule"}, {"strokeWidth", 2.5}}},
          {"encoding",
           {{"x", {{"field", "x"}, {"type", "quantitative"}}},
            {"y", {{"field", "y"}, {"type", "quantitative"}}},
            {"x2", {{"field", "x2"}}},
            {"y2", {{"field", "y2"}}},
            {"strokeDash",
             {{"field", "name"},
              {"type", "nominal"},
              {"title", nullptr},
              {"legend", {{"symbolStrokeColor", "#888"}}}}},
            {"color", {{"value", "white"}}}}}};
}

Json PointRows(const Contour& contour) {
  Json rows = Json::array();
  for (const MapPoint& point : contour.points) {
    rows.push_back({{"x", point.x}, {"y", point.y}, {"name", point.name}});
  }
  return rows;
}

Json PointEncoding() {
  return {{"x", {{"field", "x"}, {"type", "quantitative"}}},
          {"y", {{"field", "y"}, {"type", "quantitative"}}}};
}

Json PointLayer(const Contour& contour) {
  return {{"data", {{"values", PointRows(contour)}}},
          {"mark",
           {{"type", "point"},
            {"filled", true},
            {"size", 90},
            {"color", "white"},
            {"stroke", "black"},
            {"opacity", 1}}},
          {"encoding", PointEncoding()}};
}

Json NameLayer(const Contour& contour) {
  Json encoding = PointEncoding();
  encoding["text"] = {{"field", "name"}, {"type", "nominal"}};
  return {{"data", {{"values", PointRows(contour)}}},
          {"mark",
           {{"type", "text"},
            {"dy", -14},
            {"fontSize", 14},
            {"fontWeight", "bold"},
            {"color", "white"},
            {"stroke", "black"},
            {"strokeWidth", 0.4}}},
          {"encoding", encoding}};
}

}  // namespace

std::string HexColor(const Color& color) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text = "#";
  for (const double part : std::array{color.red, color.green, color.blue}) {
    const auto byte = static_cast<unsigned>(std::lround(255 * part));
    text += kDigits[byte / 16];
    text += kDigits[byte % 16];
  }
  return text;
}

std::string VegaSpec(const LineChart& chart, const SeriesColors& colors) {
  Json rows = Json::array();
  for (size_t s = 0; s < chart.series.size(); ++s) {
    AddRows(rows, chart, chart.series[s], StrokeOf(chart.series[s], colors), s);
  }
  Json x = Channel("x", chart.x_label);
  x["scale"] = XScale(chart);
  x["axis"] = {{"grid", false}};
  // Vega puts ticks between whole numbers, whatever their least step.
  if (IsCounted(chart) && !chart.log_x) {
    x["axis"]["values"] = WholeTicks(chart);
  }
  Json y = Channel("y", chart.y_label);
  y["scale"] = YScale(chart);
  Json spec = Begin();
  spec["data"] = {{"values", rows}};
  spec["mark"] = {{"type", "line"}, {"point", {{"size", 22}}}};
  spec["encoding"] = {
      {"x", x},
      {"y", y},
      {"detail", {{"field", "line"}, {"type", "nominal"}}},
      {"color", {{"field", "color"}, {"type", "nominal"}, {"scale", nullptr}}},
      {"strokeDash", DashScale()},
      {"strokeWidth",
       {{"condition", {{"test", "datum.wide"}, {"value", 3.2}}},
        {"value", 1.8}}},
      {"tooltip", Tooltip(chart)}};
  return InScript(spec);
}

std::string VegaSpec(const Contour& contour) {
  Json spec = Begin();
  spec["layer"] = {MapLayer(contour)};
  if (!contour.paths.empty()) spec["layer"].push_back(PathLayer(contour));
  if (!contour.points.empty()) {
    spec["layer"].push_back(PointLayer(contour));
    spec["layer"].push_back(NameLayer(contour));
  }
  return InScript(spec);
}

}  // namespace rebasin
