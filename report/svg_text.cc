#include "report/svg_text.h"

#include "rebasin/error.h"

namespace rebasin {
namespace {

// cairo names groups surfaceN, where N counts over the process; renames them.
void NameGroups(std::string& svg) {
  constexpr std::string_view kName = "id=\"surface";
  const size_t at = svg.find(kName);
  if (at == std::string::npos) return;
  const size_t digits = at + kName.size();
  const size_t end = svg.find('"', digits);
  svg.replace(digits, end - digits, "");
}

}  // namespace

std::string XmlText(std::string_view text) {
  std::string escaped;
  // Control characters are not allowed in XML and are escaped first.
  for (char c : Printable(text, text.size())) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string WithTexts(std::string_view svg, const std::string& title,
                      const std::vector<std::string>& texts) {
  std::string result(svg);
  NameGroups(result);
  std::string elements = "\n<title>" + XmlText(title) + "</title>\n<desc>";
  for (const std::string& text : texts) {
    if (!text.empty()) elements += XmlText(text) + "\n";
  }
  elements += "</desc>";
  const size_t root = result.find("<svg");
  const size_t end = result.find('>', root);
  return result.insert(end + 1, elements);
}

}  // namespace rebasin
