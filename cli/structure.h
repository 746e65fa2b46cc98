// Options for models and their structure.

#ifndef REBASIN_CLI_STRUCTURE_H_
#define REBASIN_CLI_STRUCTURE_H_

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "cli/console.h"
#include "rebasin/model.h"

namespace rebasin::cli {

struct StructureFlags {
  std::string spec;   // a file, or mlp
  std::string model;  // an architecture, auto (the default), or an .onnx file
  std::vector<std::string> constants;  // patterns of names
  std::vector<std::string> trained;    // patterns of names
  // Patterns of names; "true" (the flag without a value): all tensors.
  std::vector<std::string> allow_uncovered;
  std::string symmetries = "permute";

  void AddTo(CLI::App& command, const std::string& group);
  void AddAllowUncoveredTo(CLI::App& command, const std::string& group);
  // For commands with symmetries other than permutations.
  void AddSymmetriesTo(CLI::App& command, const std::string& group);
  bool empty() const { return spec.empty() && model.empty(); }

  // Throws Error(kUsage).
  StructureOptions Options() const;
};

// Returns how models are opened. `dtype` is the element type to convert to;
// empty: none.
ModelOptions ModelOptionsFor(const StructureFlags& flags, StructureNeed need,
                             const Context& context,
                             const std::string& dtype = "");

// Opens one model without its structure.
Checkpoint OpenWeights(const std::string& path, const Context& context,
                       Console& console, const std::string& dtype = "");

std::vector<Model> OpenModels(const std::vector<std::string>& paths,
                              const ModelOptions& options, Console& console);

// "recognised as llama:... (config.json)\n"; empty if nothing was recognised.
std::string RecognisedText(const Structure& structure);

// Warns if two models have the same content.
void WarnIfSame(const Model& a, const Model& b, const Run& run);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_STRUCTURE_H_
