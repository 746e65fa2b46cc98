#include "model/files.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "onnx/onnx.h"
#include "onnx/together.h"
#include "rebasin/error.h"
#include "rebasin/match.h"
#include "rebasin/merge.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

Checkpoint Converted(const Checkpoint& weights, const fs::path& path,
                     DType dtype, const Run& run) {
  const auto count = std::count_if(
      weights.tensors().begin(), weights.tensors().end(),
      [&](const Tensor& tensor) {
        return IsArithmetic(tensor.dtype) && tensor.dtype != dtype;
      });
  if (count == 0) return weights;
  run.Warn(Count(count, "tensor") + " of " + Quoted(path.native()) +
           " converted to " + std::string(DTypeName(dtype)));
  return ConvertTypes(weights, dtype);
}

OnnxOptions OnnxOptionsOf(const ModelOptions& options) {
  return {.trained = options.structure.trained,
          .follow_symlinks = options.file.follow_symlinks,
          .external_data = options.external_data};
}

Checkpoint OpenWeights(const fs::path& path, const ModelOptions& options,
                       const Run& run) {
  if (!IsOnnx(path)) return Checkpoint::Open(path, options.file, run);
  std::vector<std::string> warnings;
  const Checkpoint weights =
      ReadOnnxWeights(path, OnnxOptionsOf(options), &warnings);
  for (const std::string& warning : warnings) run.Warn(warning);
  return weights;
}

// Reads a single model. Reading several together takes more memory.
void ReadOnnxFile(const ModelOptions& options, const Run& run,
                  FileWithGraph& file) {
  OnnxOptions reading = OnnxOptionsOf(options);
  reading.constants = options.structure.constants;
  OnnxModel read = ReadOnnx(file.model.file, reading);
  for (const std::string& warning : read.warnings) run.Warn(warning);
  file.model.weights = std::move(read.weights);
  file.graph = std::make_shared<const Graph>(std::move(read.graph));
}

// Reads the .onnx files among `files`, given by index, together.
void ReadOnnxFiles(const std::vector<size_t>& onnx, const ModelOptions& options,
                   const Run& run, std::vector<FileWithGraph>& files) {
  std::vector<fs::path> paths;
  for (size_t m : onnx) paths.push_back(files[m].model.file);
  OnnxSet set = ReadOnnxTogether(paths, OnnxOptionsOf(options));
  for (size_t i = 0; i < onnx.size(); ++i) {
    OnnxModel& read = set.models[i];
    FileWithGraph& file = files[onnx[i]];
    for (const std::string& warning : read.warnings) run.Warn(warning);
    file.model.weights = std::move(read.weights);
    file.graph = std::make_shared<const Graph>(std::move(read.graph));
    file.model.graph_differences = std::move(set.differences[i]);
    file.model.own_names = std::move(set.own_names[i]);
  }
}

// True if the graphs of .onnx files are needed, not only their weights.
bool NeedsGraphs(const ModelOptions& options, size_t count) {
  return count > 1 || options.need != StructureNeed::kNothing;
}

// The first few differences, in one line.
std::string DifferencesText(const std::vector<GraphDifference>& differences) {
  constexpr size_t kShown = 3;
  std::string text;
  for (size_t i = 0; i < std::min(kShown, differences.size()); ++i) {
    text += (i == 0 ? "" : "; ") + differences[i].text();
  }
  if (differences.size() <= kShown) return text;
  return text + "; and " + std::to_string(differences.size() - kShown) +
         " more";
}

void RequireSameGraphs(const std::vector<FileWithGraph>& files) {
  const auto first = std::find_if(
      files.begin(), files.end(),
      [](const FileWithGraph& file) { return file.graph != nullptr; });
  for (const auto& [model, graph] : files) {
    if (model.graph_differences.empty()) continue;
    throw Error(ErrorCode::kMismatch,
                "the graphs of A, " + Quoted(first->model.name) + ", and B, " +
                    Quoted(model.name) +
                    ", differ: " + DifferencesText(model.graph_differences),
                "`rebasin diff` lists all differences; models of different "
                "graphs cannot be matched");
  }
}

void RequireSameTensors(const std::vector<FileWithGraph>& files, size_t count) {
  for (size_t m = 0; m < count; ++m) {
    const Model& model = files[m].model;
    if (model.weights.tensors().empty()) {
      throw Error(ErrorCode::kMismatch,
                  Quoted(model.name) + " holds no tensors");
    }
    CheckSameStructure(files[0].model.weights, model.weights);
  }
}

bool IsOnnxFile(const ModelInput& input) {
  return !input.weights && IsOnnx(input.file);
}

Model WithoutWeights(const ModelInput& input) {
  if (input.weights) return {.name = input.name};
  return {.name = input.file.native(), .file = input.file};
}

// The names in an .onnx file are those of its graph.
void CheckRenames(std::span<const ModelInput> inputs,
                  const OpenOptions& options) {
  const bool all_graphs = std::all_of(inputs.begin(), inputs.end(), IsOnnxFile);
  if (options.renames.empty() || !all_graphs) return;
  throw Error(ErrorCode::kUsage,
              "tensors of .onnx files cannot be renamed: they keep the names "
              "of their graph");
}

}  // namespace

bool IsOnnxStill(const Model& model) {
  if (!model.file.empty() && IsOnnx(model.file)) return true;
  model.weights.CheckUnchanged();
  return false;
}

std::vector<FileWithGraph> OpenFiles(std::span<const ModelInput> inputs,
                                     size_t alike, const ModelOptions& options,
                                     const Run& run) {
  CheckRenames(inputs, options.file);
  std::vector<FileWithGraph> files;
  std::vector<size_t> onnx;
  const bool graphs = NeedsGraphs(options, inputs.size());
  for (const ModelInput& input : inputs) {
    files.push_back({WithoutWeights(input), nullptr});
    if (graphs && IsOnnxFile(input)) {
      onnx.push_back(files.size() - 1);
    } else {
      files.back().model.weights = input.weights
                                       ? *input.weights
                                       : OpenWeights(input.file, options, run);
    }
  }
  if (files.size() == 1 && !onnx.empty()) {
    ReadOnnxFile(options, run, files[0]);
  } else if (!onnx.empty()) {
    ReadOnnxFiles(onnx, options, run, files);
  }
  for (FileWithGraph& file : files) {
    if (!options.dtype) continue;
    file.model.weights =
        Converted(file.model.weights, file.model.name, *options.dtype, run);
  }
  if (!options.allow_different_graphs) RequireSameGraphs(files);
  const bool differ =
      std::any_of(files.begin(), files.end(), [](const FileWithGraph& file) {
        return !file.model.graph_differences.empty();
      });
  if (options.same_tensors && alike > 1 && !differ) {
    RequireSameTensors(files, alike);
  }
  return files;
}

}  // namespace rebasin
