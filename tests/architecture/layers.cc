#include "architecture/layers.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "architecture/source_files.h"

namespace rebasin {
namespace {

namespace fs = std::filesystem;

// The arrows. A layer may include itself, the layers named here, and whatever
// those may include.
const std::map<std::string, std::vector<std::string>> kArrows = {
    {"base", {}},
    {"io", {"base"}},
    {"git", {"io"}},
    {"tensor", {"io"}},
    {"formats", {"tensor"}},
    {"data", {"formats"}},
    {"assignment", {"base"}},
    {"graph", {"tensor"}},
    {"onnx", {"graph", "formats"}},
    {"symmetry", {"graph", "formats"}},
    {"discovery", {"symmetry"}},
    {"permute", {"symmetry"}},
    {"match", {"permute", "assignment"}},
    {"merge", {"match"}},
    {"repair", {"merge", "graph"}},
    {"verify", {"merge", "discovery"}},
    {"zoo", {"symmetry"}},
    {"model", {"verify", "zoo", "onnx"}},
    {"align", {"model", "repair"}},
    {"report", {"io"}},
    {"nn", {"align", "data"}},
    {"lab", {"nn", "report", "zoo"}},
    {"cli", {"git", "align", "data", "nn", "report", "lab"}},
    {"python", {"align"}},
};

// The layer that each public header belongs to.
const std::map<std::string, std::string> kPublicHeaders = {
    {"version.h", "base"},
    {"error.h", "base"},
    {"run.h", "base"},
    {"tensor.h", "tensor"},
    {"graph.h", "graph"},
    {"checkpoint.h", "formats"},
    {"symmetry.h", "symmetry"},
    {"alignment.h", "symmetry"},
    {"match.h", "match"},
    {"merge.h", "merge"},
    {"repair.h", "repair"},
    {"discovery.h", "discovery"},
    {"zoo.h", "zoo"},
    {"model.h", "model"},
    {"align.h", "align"},
    // Examples are read without LibTorch, for what runs networks.
    {"nn/data.h", "data"},
    {"nn/knowledge.h", "data"},
};

struct Include {
  std::string path;
  bool quoted = false;
  int line = 0;
};

std::string_view StripLeft(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

// The rest of `text` after `prefix`, if it starts with it.
std::optional<std::string_view> After(std::string_view text,
                                      std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return StripLeft(text.substr(prefix.size()));
}

std::optional<Include> ParseInclude(std::string_view line, int number) {
  auto rest = After(StripLeft(line), "#");
  if (rest) rest = After(*rest, "include");
  if (!rest || rest->empty()) return std::nullopt;
  const bool quoted = rest->front() == '"';
  const size_t end = rest->find(quoted ? '"' : '>', 1);
  return Include{std::string(rest->substr(1, end - 1)), quoted, number};
}

std::vector<Include> ReadIncludes(const fs::path& file) {
  std::vector<Include> includes;
  std::ifstream in(file);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (auto include = ParseInclude(line, number)) includes.push_back(*include);
  }
  return includes;
}

std::optional<std::string> LayerOfPublicHeader(const std::string& name) {
  const auto found = kPublicHeaders.find(name);
  if (found == kPublicHeaders.end()) return std::nullopt;
  return found->second;
}

// The layer of a path as an #include spells it: rebasin/match.h, match/gram.h.
std::optional<std::string> LayerOfInclude(const fs::path& path) {
  const std::string first = path.begin()->string();
  if (first == "rebasin") {
    const fs::path name = path.lexically_relative("rebasin");
    const auto layer = LayerOfPublicHeader(name.string());
    return !layer && *name.begin() == "nn" ? "nn" : layer;
  }
  if (!kArrows.contains(first)) return std::nullopt;
  return first;
}

// The same path for a file of the tree: without src/ or include/.
fs::path AsIncluded(const fs::path& file) {
  const std::string first = file.begin()->string();
  const bool rooted = first == "src" || first == "include";
  return rooted ? file.lexically_relative(first) : file;
}

void AddReachable(const std::string& layer, std::set<std::string>& reached) {
  if (!reached.insert(layer).second) return;
  for (const auto& below : kArrows.at(layer)) AddReachable(below, reached);
}

// Why `layer` may not include this; empty if it may.
std::string Objection(const std::string& layer, const Include& include) {
  if (!include.quoted) return "";
  const auto target = LayerOfInclude(include.path);
  if (!target) return "includes " + include.path + ", which is in no layer";
  std::set<std::string> allowed;
  AddReachable(layer, allowed);
  if (allowed.contains(*target)) return "";
  return layer + " may not include " + include.path + " of " + *target;
}

void CheckArrowsOfFile(const fs::path& root, const fs::path& file,
                       std::vector<std::string>& violations) {
  const auto layer = LayerOfInclude(AsIncluded(file));
  if (!layer) {
    violations.push_back(Place(file, 1) + "is in no layer");
    return;
  }
  for (const Include& include : ReadIncludes(root / file)) {
    const std::string objection = Objection(*layer, include);
    if (objection.empty()) continue;
    violations.push_back(Place(file, include.line) + objection);
  }
}

// <vector>, <cstdint>: a name with neither a dot nor a folder.
bool IsStandard(const Include& include) {
  return !include.quoted &&
         include.path.find_first_of("./") == std::string::npos;
}

bool IsPublic(const Include& include) {
  return include.quoted && include.path.starts_with("rebasin/");
}

// src/match/gram.h -> REBASIN_MATCH_GRAM_H_, include/rebasin/match.h ->
// REBASIN_MATCH_H_, tests/a/b.h -> REBASIN_TESTS_A_B_H_.
std::string GuardOf(const fs::path& header) {
  std::string name = AsIncluded(header).generic_string();
  if (!name.starts_with("rebasin/")) name = "rebasin/" + name;
  for (char& c : name) {
    c = std::isalnum(static_cast<unsigned char>(c))
            ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
            : '_';
  }
  return name + "_";
}

bool HasLine(const fs::path& file, const std::string& wanted) {
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line)) {
    if (line == wanted) return true;
  }
  return false;
}

bool HasGuard(const fs::path& file, const std::string& guard) {
  // Highway compiles such files once for each instruction set.
  if (file.native().ends_with("-inl.h")) {
    return HasLine(file, "#if defined(" + guard +
                             ") == defined(HWY_TARGET_TOGGLE)") &&
           HasLine(file, "#define " + guard);
  }
  return HasLine(file, "#ifndef " + guard) &&
         HasLine(file, "#define " + guard) &&
         HasLine(file, "#endif  // " + guard);
}

// Types that a header defines at the outermost level, with the namespace that
// was opened last before them.
std::vector<std::string> TypesOf(const fs::path& file) {
  std::vector<std::string> types;
  std::ifstream in(file);
  std::string line, scope;
  while (std::getline(in, line)) {
    if (const auto name = After(line, "namespace ")) {
      scope = std::string(name->substr(0, name->find(' ')));
    }
    for (const char* word : {"struct ", "class ", "enum class "}) {
      const auto rest = After(line, word);
      const bool defined = line.ends_with('{') || line.ends_with("};");
      if (!rest || !defined) continue;
      types.push_back(scope + "::" +
                      std::string(rest->substr(0, rest->find_first_of(" ;{"))));
    }
  }
  return types;
}

}  // namespace

std::vector<std::string> FindBrokenArrows(const fs::path& root) {
  std::vector<std::string> violations;
  for (const std::string& folder : kSourceRoots) {
    for (const auto& file : SourceFiles(root, folder)) {
      CheckArrowsOfFile(root, file, violations);
    }
  }
  return violations;
}

std::vector<std::string> FindForeignIncludes(const fs::path& root) {
  std::vector<std::string> violations;
  for (const auto& file : SourceFiles(root, "include")) {
    for (const Include& include : ReadIncludes(root / file)) {
      if (IsStandard(include) || IsPublic(include)) continue;
      violations.push_back(Place(file, include.line) +
                           "a public header includes " + include.path);
    }
  }
  return violations;
}

std::vector<std::string> FindWrongGuards(const fs::path& root) {
  std::vector<std::string> violations;
  std::vector<std::string> folders = kSourceRoots;
  folders.insert(folders.end(), {"tests", "bench", "fuzz"});
  for (const std::string& folder : folders) {
    for (const auto& file : SourceFiles(root, folder)) {
      const std::string guard = GuardOf(file);
      if (file.extension() != ".h" || HasGuard(root / file, guard)) continue;
      violations.push_back(Place(file, 1) + "has no guard " + guard);
    }
  }
  return violations;
}

std::vector<std::string> FindDoubleTypes(const fs::path& root) {
  std::map<std::string, std::string> seen;  // qualified name to file
  std::vector<std::string> doubles;
  for (const std::string& folder : kSourceRoots) {
    for (const fs::path& file : SourceFiles(root, folder)) {
      if (file.extension() != ".h") continue;
      for (const std::string& type : TypesOf(root / file)) {
        const auto [known, is_new] = seen.emplace(type, file.string());
        if (!is_new && known->second != file.string()) {
          doubles.push_back(type + " in " + known->second + " and " +
                            file.string());
        }
      }
    }
  }
  return doubles;
}

}  // namespace rebasin
