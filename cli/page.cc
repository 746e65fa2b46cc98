#include "cli/page.h"

#include "cli/output.h"
#include "rebasin/version.h"
#include "report/html.h"

namespace rebasin::cli {
namespace {

// The command line for repeating the run, if no argument contains spaces.
std::string CommandText(const Context& context) {
  std::string text = "rebasin";
  for (size_t i = 1; i < context.arguments.size(); ++i) {
    text += std::string(" ") + context.arguments[i];
  }
  return text;
}

}  // namespace

void WritePage(Document page, const std::string& path, const Context& context) {
  if (path.empty()) return;
  page.facts.push_back({"command", CommandText(context)});
  page.facts.push_back({"seed", std::to_string(context.seed)});
  page.facts.push_back({"version", "rebasin " REBASIN_VERSION});
  WriteText(path, Html(page), context.force);
}

}  // namespace rebasin::cli
