#include "report/old_report.h"

#include "io/file.h"
#include "io/json.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

constexpr int64_t kLargestReport = int64_t{100} << 20;

nlohmann::json ReadReport(const fs::path& path) {
  try {
    const std::string text = ReadSmallFile(path, kLargestReport);
    return ParseJson({.text = text, .source = Quoted(path.native())});
  } catch (const Error&) {
    return {};  // an unreadable report is not repaired
  }
}

bool IsPlainName(const std::string& name) {
  return !name.empty() && fs::path(name).filename() == name;
}

}  // namespace

std::set<std::string> FilesOfOldReport(const fs::path& folder) {
  std::set<std::string> files;
  const nlohmann::json report = ReadReport(folder / "report.json");
  if (!report.is_object() || !report.contains("blocks")) return files;
  for (const nlohmann::json& block : report["blocks"]) {
    if (!block.is_object() || !block.contains("name")) continue;
    if (!block["name"].is_string()) continue;
    const auto name = block["name"].get<std::string>();
    for (const char* ending : {".csv", ".svg", ".png"}) {
      if (IsPlainName(name)) files.insert(name + ending);
    }
  }
  return files;
}

}  // namespace rebasin
