#include "report/html.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "io/base64.h"
#include "report/panel.h"
#include "report/picture.h"
#include "report/svg_text.h"
#include "report/vega.h"
#include "report/web.h"

namespace rebasin {
namespace {

// Also escapes quotes.
std::string Attribute(std::string_view text) {
  std::string escaped;
  for (const char c : XmlText(text)) {
    if (c == '"') {
      escaped += "&quot;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string Element(const std::string& tag, const std::string& text) {
  return "<" + tag + ">" + XmlText(text) + "</" + tag + ">\n";
}

// The picture as a data URL, because its internal names would conflict with
// those of other pictures.
std::string Still(const Picture& picture, const std::string& alternative) {
  return "<div class=\"still\"><img alt=\"" + Attribute(alternative) +
         "\" src=\"data:image/svg+xml;base64," +
         Base64(Render(picture, PictureFormat::kSvg)) + "\"></div>\n";
}

std::string Chart(const std::string& spec) {
  return "<div class=\"chart\"></div><script type=\"application/json\">" +
         spec + "</script>\n";
}

std::string Swatch(const Stroke& stroke) {
  return "<svg viewBox=\"0 0 30 8\" aria-hidden=\"true\"><line x1=\"0\" "
         "y1=\"4\" x2=\"30\" y2=\"4\" stroke=\"" +
         HexColor(stroke.color) + "\" stroke-width=\"3\"" +
         (stroke.dashes ? " stroke-dasharray=\"6 4\"" : "") + "/></svg>";
}

std::string LegendOf(const Figure& figure, const SeriesColors& colors) {
  std::string items;
  std::set<std::string> seen;
  for (const LineChart& panel : figure.panels) {
    for (const Series& series : panel.series) {
      if (series.name.empty() || !seen.insert(series.name).second) continue;
      items += "<li>" + Swatch(StrokeOf(series, colors)) +
               XmlText(series.name) + "</li>";
    }
  }
  return items.empty() ? "" : "<ul class=\"legend\">" + items + "</ul>\n";
}

std::string NumberRow(const std::vector<std::string>& cells) {
  std::string row = "<tr>";
  for (const std::string& cell : cells) row += "<td>" + XmlText(cell) + "</td>";
  return row + "</tr>\n";
}

std::string Numbers(const std::string& header, const std::string& rows) {
  return "<details><summary>The numbers</summary><div class=\"scroll\">"
         "<table>" +
         header + rows + "</table></div></details>\n";
}

std::string NumbersOf(const Figure& figure) {
  std::string rows;
  for (const LineChart& panel : figure.panels) {
    for (const Series& series : panel.series) {
      for (size_t i = 0; i < series.x.size(); ++i) {
        rows += NumberRow({panel.title.empty() ? panel.y_label : panel.title,
                           FullName(series), Number(series.x[i]),
                           Number(series.y[i])});
      }
    }
  }
  return Numbers("<tr><th>panel</th><th>line</th><th>x</th><th>y</th></tr>\n",
                 rows);
}

std::string Caption(const std::string& title, const std::string& caption) {
  return "<figcaption><span class=\"title\">" + XmlText(title) + "</span>" +
         XmlText(caption) + "</figcaption>\n";
}

std::string Folded(const std::string& summary, const std::string& html) {
  return "<details>" + Element("summary", summary) + html + "</details>\n";
}

// "left:12.5%", cut off at the ends.
std::string Place(const char* property, double share) {
  return std::string(property) + ":" +
         Number(100 * std::clamp(share, 0.0, 1.0), 4) + "%";
}

std::string Span(const std::string& name, const std::string& style) {
  return "<span class=\"" + name + "\" style=\"" + style + "\"></span>";
}

std::string Between(const std::string& name, double begin, double end) {
  const double low = std::clamp(std::min(begin, end), 0.0, 1.0);
  const double high = std::clamp(std::max(begin, end), 0.0, 1.0);
  return Span(name, Place("left", low) + ";" + Place("width", high - low));
}

// Drawn by the style sheet; the number stands in the text of the cell.
std::string BarHtml(const Bar& bar) {
  if (!std::isfinite(bar.begin) || !std::isfinite(bar.end)) return "";
  std::string html = Between("fill", bar.begin, bar.end);
  if (bar.dots) {
    html += Span("ring", Place("left", bar.begin)) +
            Span("dot", Place("left", bar.end));
  }
  if (bar.error > 0) {
    html += Between("whisker", bar.end - bar.error, bar.end + bar.error);
  }
  if (bar.mark) html += Span("line", Place("left", *bar.mark));
  return std::string("<span class=\"track") + (bar.dots ? " range" : "") +
         (bar.emphasis ? " strong" : "") + "\" aria-hidden=\"true\">" + html +
         "</span>";
}

const char* ClassOf(Support support) {
  switch (support) {
    case Support::kSupported:
      return "claim supported";
    case Support::kMixed:
      return "claim mixed";
    case Support::kNotSupported:
      return "claim contradicted";
    case Support::kNotTested:
      break;
  }
  return "claim";
}

struct BlockHtml {
  std::string operator()(const Paragraph& block) const {
    return Element("p", block.text);
  }

  std::string operator()(const SectionTitle& block) const {
    return Element("h2", block.text);
  }

  std::string operator()(const Callout& block) const {
    return std::string("<div class=\"") + ClassOf(block.tone) +
           "\"><p><span class=\"mark\">" + XmlText(block.title) + "</span> " +
           XmlText(block.text) + "</p></div>\n";
  }

  // Line by line, because escaping would also affect line ends.
  std::string operator()(const Listing& block) const {
    std::string html = "<pre class=\"scroll\">";
    size_t begin = 0;
    while (begin < block.text.size()) {
      const size_t end =
          std::min(block.text.find('\n', begin), block.text.size());
      html += XmlText(block.text.substr(begin, end - begin)) + "\n";
      begin = end + 1;
    }
    html += "</pre>\n";
    return block.summary.empty() ? html : Folded(block.summary, html);
  }

  std::string operator()(const DataTable& table) const {
    // Outside of what scrolls, so that it is never cut off.
    std::string html;
    if (!table.caption.empty() && !table.folded) {
      html += "<p class=\"caption\">" + XmlText(table.caption) + "</p>\n";
    }
    html += std::string("<div class=\"scroll\"><table") +
            (HasBars(table) ? " class=\"bars\">\n" : ">\n");
    html += "<thead><tr>";
    for (size_t c = 0; c < table.columns.size(); ++c) {
      html += HeaderCell(table.columns[c], IsNumber(table, c));
    }
    html += "</tr></thead>\n<tbody>\n";
    for (const auto& row : table.rows) {
      html += "<tr>";
      for (size_t c = 0; c < row.size(); ++c) {
        html += BodyCell(row[c], IsNumber(table, c));
      }
      html += "</tr>\n";
    }
    html += "</tbody></table></div>\n";
    return table.folded ? Folded(table.caption, html) : html;
  }

  std::string operator()(const Plot& plot) const {
    const Figure& figure = plot.figure;
    const SeriesColors colors = ColorsByName(figure);
    std::string live = LegendOf(figure, colors) + "<div class=\"panels\">\n";
    for (const LineChart& panel : figure.panels) {
      live += "<div class=\"panel\">";
      if (!panel.title.empty()) live += Element("h3", panel.title);
      live += Chart(VegaSpec(panel, colors)) + "</div>\n";
    }
    return "<figure class=\"plot\">\n" + Caption(figure.title, plot.caption) +
           "<div class=\"live\">" + live + "</div></div>\n" +
           Still(Draw(figure), plot.caption) + NumbersOf(figure) +
           "</figure>\n";
  }

  std::string operator()(const MapPlot& plot) const {
    return "<figure class=\"plot map\">\n" +
           Caption(plot.contour.title, plot.caption) +
           "<div class=\"live\"><div class=\"panel\">" +
           Chart(VegaSpec(plot.contour)) + "</div></div>\n" +
           Still(Draw(plot.contour), plot.caption) + "</figure>\n";
  }

 private:
  static bool HasBars(const DataTable& table) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (AnyCell(table, c, [](const Cell& cell) { return cell.bar; })) {
        return true;
      }
    }
    return false;
  }

  // Numbers are on the right of their cell, if there are no bars beneath them.
  static bool IsNumber(const DataTable& table, size_t column) {
    return AnyCell(table, column,
                   [](const Cell& cell) { return cell.value && !cell.bar; });
  }

  template <typename Test>
  static bool AnyCell(const DataTable& table, size_t column, Test test) {
    return std::any_of(
        table.rows.begin(), table.rows.end(), [&](const auto& row) {
          return column < row.size() && static_cast<bool>(test(row[column]));
        });
  }

  static std::string HeaderCell(const std::string& text, bool number) {
    return std::string(number ? "<th class=\"number\">" : "<th>") +
           XmlText(text) + "</th>";
  }

  static std::string BodyCell(const Cell& cell, bool number) {
    const std::string text = Content(cell);
    if (cell.bar) {
      return "<td class=\"bar\">" + text + BarHtml(*cell.bar) + "</td>";
    }
    return std::string(number ? "<td class=\"number\">" : "<td>") + text +
           "</td>";
  }

  static std::string Content(const Cell& cell) {
    if (cell.link.empty()) return XmlText(cell.text);
    return "<a href=\"" + XmlText(cell.link) + "\">" + XmlText(cell.text) +
           "</a>";
  }
};

bool IsMap(const std::vector<Block>& blocks, size_t index) {
  return index < blocks.size() &&
         std::holds_alternative<MapPlot>(blocks[index]);
}

// Consecutive maps are placed side by side if there is space.
std::string BlocksHtml(const std::vector<Block>& blocks) {
  std::string html;
  bool together = false;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (!together && IsMap(blocks, i) && IsMap(blocks, i + 1)) {
      html += "<div class=\"maps\">\n";
      together = true;
    }
    html += std::visit(BlockHtml(), blocks[i]);
    if (together && !IsMap(blocks, i + 1)) {
      html += "</div>\n";
      together = false;
    }
  }
  return html;
}

std::string ClaimHtml(const Claim& claim) {
  return std::string("<div class=\"") + ClassOf(claim.support) +
         "\"><p>Claim: " + XmlText(claim.claim) +
         "</p><p><span class=\"mark\">" + SupportText(claim.support) +
         ".</span> " + XmlText(claim.finding) + "</p></div>\n";
}

std::string FactsHtml(const std::vector<Fact>& facts) {
  std::string html = "<h2>What was run</h2>\n<dl>\n";
  for (const Fact& fact : facts) {
    html += "<dt>" + XmlText(fact.name) + "</dt><dd>" +
            (fact.name == "command" ? "<code>" + XmlText(fact.text) + "</code>"
                                    : XmlText(fact.text)) +
            "</dd>\n";
  }
  return html + "</dl>\n";
}

std::string Head(const Document& document) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n"
         "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\">\n"
         "<link rel=\"icon\" href=\"data:,\">\n" +
         Element("title", document.title) + "<style>\n" +
         std::string(PageStyle()) + "</style>\n</head>\n<body>\n";
}

std::string Scripts(bool charts) {
  if (!charts || VegaScript().empty()) return "";
  return "<script>" + std::string(VegaScript()) + "</script>\n<script>\n" +
         std::string(PageScript()) + "</script>\n";
}

bool HasCharts(const Document& document) {
  return std::any_of(document.blocks.begin(), document.blocks.end(),
                     [](const Block& block) {
                       return std::holds_alternative<Plot>(block) ||
                              std::holds_alternative<MapPlot>(block);
                     });
}

}  // namespace

std::string Html(const Document& document) {
  std::string html = Head(document) + Element("h1", document.title);
  if (!document.question.empty()) {
    html += "<p class=\"question\">" + XmlText(document.question) + "</p>\n";
  }
  for (const Claim& claim : document.claims) html += ClaimHtml(claim);
  html += BlocksHtml(document.blocks);
  if (!document.facts.empty()) html += FactsHtml(document.facts);
  return html + Scripts(HasCharts(document)) + "</body>\n</html>\n";
}

}  // namespace rebasin
