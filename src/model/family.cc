#include "model/family.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "graph/compare.h"
#include "rebasin/error.h"
#include "rebasin/zoo.h"
#include "zoo/families/config.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

bool IsSpecified(std::span<const FileWithGraph> files,
                 const StructureOptions& options) {
  return options.model != "auto" ||
         std::any_of(files.begin(), files.end(), [](const FileWithGraph& file) {
           return file.model.weights.metadata().contains(kModelKey);
         });
}

fs::path ConfigOf(const FileWithGraph& file, const ModelOptions& options) {
  return FindModelConfig(options.config_beside.empty()
                             ? fs::path(file.model.name)
                             : options.config_beside);
}

// The first config.json that there is.
fs::path AnyConfig(std::span<const FileWithGraph> files,
                   const ModelOptions& options) {
  for (const FileWithGraph& file : files) {
    fs::path config = ConfigOf(file, options);
    if (!config.empty()) return config;
  }
  return {};
}

// Files may say the same in different words, so the graphs are compared.
void CheckSameGraph(const std::string& first, const FamilyModel& model,
                    const std::string& second, const FamilyModel& other) {
  const std::string what = "config.json of " + Quoted(first) + " and of " +
                           Quoted(second) + " describe different models: ";
  if (model.name != other.name) {
    throw Error(ErrorCode::kMismatch,
                what + Quoted(model.name) + " and " + Quoted(other.name),
                "models of different families cannot be combined");
  }
  const auto differences = CompareGraphs(model.graph, other.graph);
  if (differences.empty()) return;
  throw Error(ErrorCode::kMismatch,
              what + "A is the first; " + differences[0].text(),
              "correct the config.json that is wrong");
}

}  // namespace

std::optional<Structure> FindFamily(std::span<const FileWithGraph> files,
                                    const ModelOptions& options,
                                    std::vector<Companion>& companions) {
  if (IsSpecified(files, options.structure)) return std::nullopt;
  const fs::path any = AnyConfig(files, options);
  if (any.empty()) return std::nullopt;
  std::optional<FamilyModel> found;
  for (const FileWithGraph& file : files) {
    const fs::path own = ConfigOf(file, options);
    auto model = ReadFamily(own.empty() ? any : own, file.model.weights);
    if (!model) return std::nullopt;
    if (found) {
      CheckSameGraph(files[0].model.name, *found, file.model.name, *model);
    } else {
      found = std::move(model);
    }
  }
  companions = std::move(found->companions);
  return Structure{
      .origin = Structure::Origin::kArchitecture,
      .name = found->name,
      .recognised = true,
      .evidence = {"config.json"},
      .graph = std::make_shared<const Graph>(std::move(found->graph))};
}

std::string ModelTypeOf(std::span<const FileWithGraph> files,
                        const ModelOptions& options) {
  const fs::path config = AnyConfig(files, options);
  return config.empty() ? "" : zoo::FamilyConfig::Read(config).ModelType();
}

}  // namespace rebasin
