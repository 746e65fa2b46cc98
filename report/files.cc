#include "report/files.h"

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/atomic_file.h"
#include "report/html.h"
#include "report/old_report.h"
#include "report/picture.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

// The shortest text that parses to the same number.
std::string Exact(double value) {
  std::array<char, 64> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string Quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string Row(const std::vector<std::string>& cells) {
  std::string row;
  for (const std::string& cell : cells) {
    if (!row.empty() || &cell != cells.data()) row += ",";
    row += Quoted(cell);
  }
  return row + "\n";
}

// JSON cannot represent numbers that are not finite.
Json NumberJson(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json NumbersJson(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(NumberJson(value));
  return list;
}

struct BlockJson {
  Json operator()(const Paragraph& block) const {
    return {{"kind", "text"}, {"text", block.text}};
  }
  Json operator()(const SectionTitle& block) const {
    return {{"kind", "heading"}, {"text", block.text}};
  }
  Json operator()(const Callout& block) const {
    return {{"kind", "finding"}, {"title", block.title}, {"text", block.text}};
  }
  Json operator()(const Listing& block) const {
    return {{"kind", "listing"}, {"text", block.text}};
  }

  Json operator()(const DataTable& table) const {
    Json rows = Json::array();
    for (const auto& row : table.rows) {
      Json cells = Json::array();
      for (const Cell& cell : row) {
        cells.push_back(cell.value ? NumberJson(*cell.value) : Json(cell.text));
      }
      rows.push_back(std::move(cells));
    }
    return {{"kind", "table"},
            {"name", table.name},
            {"caption", table.caption},
            {"columns", table.columns},
            {"rows", std::move(rows)}};
  }

  Json operator()(const Plot& plot) const {
    Json panels = Json::array();
    for (const LineChart& panel : plot.figure.panels) {
      Json lines = Json::array();
      for (const Series& series : panel.series) {
        lines.push_back({{"name", FullName(series)},
                         {"dashes", series.dashes},
                         {"x", NumbersJson(series.x)},
                         {"y", NumbersJson(series.y)}});
      }
      panels.push_back({{"title", panel.title},
                        {"x", panel.x_label},
                        {"y", panel.y_label},
                        {"lines", std::move(lines)}});
    }
    return {{"kind", "chart"},
            {"name", plot.name},
            {"caption", plot.caption},
            {"panels", std::move(panels)}};
  }

  Json operator()(const MapPlot& plot) const {
    return {{"kind", "map"},
            {"name", plot.name},
            {"caption", plot.caption},
            {"x", NumbersJson(plot.contour.x)},
            {"y", NumbersJson(plot.contour.y)},
            {"z", NumbersJson(plot.contour.z)}};
  }
};

class FolderWriter {
 public:
  FolderWriter(fs::path folder, bool force)
      : folder_(std::move(folder)), force_(force) {}

  void Write(const std::string& name, const std::string& bytes) {
    WriteWholeFile(folder_ / name, bytes, force_);
    names_.push_back(name);
  }

  void Write(const std::string& name, const Picture& picture) {
    Write(name + ".svg", Render(picture, PictureFormat::kSvg));
    Write(name + ".png", Render(picture, PictureFormat::kPng));
  }

  void operator()(const Paragraph&) {}
  void operator()(const SectionTitle&) {}
  void operator()(const Callout&) {}
  void operator()(const Listing&) {}
  void operator()(const DataTable& table) {
    Write(table.name + ".csv", TableCsv(table));
  }
  void operator()(const Plot& plot) {
    Write(plot.name + ".csv", FigureCsv(plot.figure));
    Write(plot.name, Draw(plot.figure));
  }
  void operator()(const MapPlot& plot) {
    Write(plot.name + ".csv", ContourCsv(plot.contour));
    Write(plot.name, Draw(plot.contour));
  }

  std::vector<std::string> TakeNames() { return std::move(names_); }

 private:
  const fs::path folder_;
  const bool force_;
  std::vector<std::string> names_;
};

}  // namespace

std::string TableCsv(const DataTable& table) {
  std::string csv = Row(table.columns);
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) {
      cells.push_back(cell.value ? Exact(*cell.value) : cell.text);
    }
    csv += Row(cells);
  }
  return csv;
}

std::string FigureCsv(const Figure& figure) {
  std::string csv = "panel,line,x,y\n";
  for (const LineChart& panel : figure.panels) {
    const std::string title = panel.title.empty() ? panel.y_label : panel.title;
    for (const Series& series : panel.series) {
      for (size_t i = 0; i < series.x.size(); ++i) {
        csv += Row(
            {title, FullName(series), Exact(series.x[i]), Exact(series.y[i])});
      }
    }
  }
  return csv;
}

std::string ContourCsv(const Contour& contour) {
  std::string csv = "x,y,z\n";
  for (size_t r = 0; r < contour.y.size(); ++r) {
    for (size_t c = 0; c < contour.x.size(); ++c) {
      csv += Row({Exact(contour.x[c]), Exact(contour.y[r]),
                  Exact(contour.z[r * contour.x.size() + c])});
    }
  }
  return csv;
}

std::string DocumentJson(const Document& document) {
  Json claims = Json::array(), blocks = Json::array(), facts = Json::object();
  for (const Claim& claim : document.claims) {
    claims.push_back({{"claim", claim.claim},
                      {"verdict", SupportText(claim.support)},
                      {"finding", claim.finding}});
  }
  for (const Block& block : document.blocks) {
    blocks.push_back(std::visit(BlockJson(), block));
  }
  for (const Fact& fact : document.facts) facts[fact.name] = fact.text;
  const Json json = {{"title", document.title},
                     {"question", document.question},
                     {"claims", std::move(claims)},
                     {"blocks", std::move(blocks)},
                     {"facts", std::move(facts)}};
  return json.dump(2, ' ', false, nlohmann::detail::error_handler_t::replace) +
         "\n";
}

std::vector<std::string> WriteReport(const Document& document,
                                     const fs::path& folder, bool force) {
  std::error_code error;
  fs::create_directories(folder, error);
  CheckTarget(folder / "report.html", force);
  std::set<std::string> old = FilesOfOldReport(folder);
  // Replaces files of an unfinished report.
  FolderWriter writer(folder, /*force=*/true);
  for (const Block& block : document.blocks) std::visit(writer, block);
  writer.Write("report.json", DocumentJson(document));
  writer.Write("report.html", Html(document));
  std::vector<std::string> names = writer.TakeNames();
  for (const std::string& name : names) old.erase(name);
  for (const std::string& name : old) fs::remove(folder / name, error);
  return names;
}

}  // namespace rebasin
