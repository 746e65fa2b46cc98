#include "cli/renames.h"

#include <sstream>

#include "io/file.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

constexpr int64_t kMaxBytes = 16 << 20;

std::pair<std::string, std::string> ParseRename(const std::string& origin,
                                                const std::string& text) {
  const size_t sign = text.find('=');
  if (sign == std::string::npos || sign == 0 || sign + 1 == text.size()) {
    throw Error(ErrorCode::kUsage,
                origin + " must be OLD=NEW, not " + Quoted(text));
  }
  return {text.substr(0, sign), text.substr(sign + 1)};
}

}  // namespace

Renames ParseRenames(const std::vector<std::string>& texts) {
  Renames renames;
  for (const std::string& text : texts) {
    renames.push_back(ParseRename("--rename", text));
  }
  return renames;
}

Renames ReadRenames(const std::filesystem::path& path) {
  std::istringstream lines(ReadSmallFile(path, kMaxBytes));
  Renames renames;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.starts_with('#')) continue;
    renames.push_back(ParseRename(
        Quoted(path.native()) + ": line " + std::to_string(number), line));
  }
  return renames;
}

std::string NamesText(const NameSuggestion& suggestion) {
  std::string text = "# " + suggestion.model + "\n";
  for (const auto& [from, to] : suggestion.renames) {
    text += from + "=" + to + "\n";
  }
  return text;
}

}  // namespace rebasin::cli
