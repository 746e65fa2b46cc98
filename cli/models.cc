#include "cli/models.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "cli/arguments.h"
#include "onnx/together.h"
#include "rebasin/error.h"
#include "rebasin/merge.h"
#include "rebasin/onnx.h"
#include "symmetry/rename.h"

namespace rebasin::cli {
namespace {

DType ParseType(const std::string& text) {
  return ParseChoice<DType>("--dtype", text,
                            {{"F64", DType::kF64},
                             {"F32", DType::kF32},
                             {"F16", DType::kF16},
                             {"BF16", DType::kBF16}});
}

Checkpoint ConvertModel(const Checkpoint& model, const std::string& path,
                        DType dtype, Console& console) {
  int64_t count = 0;
  for (const Tensor& tensor : model.tensors()) {
    count += IsArithmetic(tensor.dtype) && tensor.dtype != dtype;
  }
  if (count == 0) return model;
  console.Warn(Count(count, "tensor") + " of " + Quoted(path) +
               " converted to " + std::string(DTypeName(dtype)));
  return ConvertTypes(model, dtype);
}

OnnxOptions OnnxOptionsFor(const Context& context,
                           const std::vector<std::string>& trained) {
  return {.trained = trained,
          .follow_symlinks = context.follow_symlinks,
          .external_data = context.external_data};
}

Checkpoint OpenOnnx(const std::string& path, const Context& context,
                    Console& console, const std::vector<std::string>& trained) {
  std::vector<std::string> warnings;
  const Checkpoint weights =
      ReadOnnxWeights(path, OnnxOptionsFor(context, trained), &warnings);
  for (const std::string& warning : warnings) console.Warn(warning);
  return weights;
}

void ReadGraphs(const std::vector<size_t>& onnx, const Context& context,
                Console& console, const std::string& dtype,
                const std::vector<std::string>& trained, OpenedModels& models) {
  std::vector<std::filesystem::path> files;
  for (size_t m : onnx) files.emplace_back(models.paths[m]);
  OnnxSet set = ReadOnnxTogether(files, OnnxOptionsFor(context, trained));
  for (size_t i = 0; i < onnx.size(); ++i) {
    OnnxModel& model = set.models[i];
    const size_t m = onnx[i];
    for (const std::string& warning : model.warnings) console.Warn(warning);
    models.weights[m] = dtype.empty()
                            ? model.weights
                            : ConvertModel(model.weights, models.paths[m],
                                           ParseType(dtype), console);
    models.graphs[m] = std::make_shared<const Graph>(std::move(model.graph));
    models.differences[m] = std::move(set.differences[i]);
    models.own_names[m] = std::move(set.own_names[i]);
  }
}

// The first few, in one line.
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

}  // namespace

Checkpoint OpenModel(const std::string& path, const Context& context,
                     Console& console, const std::string& dtype,
                     const std::vector<std::string>& trained) {
  const Checkpoint model =
      IsOnnx(path) ? OpenOnnx(path, context, console, trained)
                   : Checkpoint::Open(
                         path, {.follow_symlinks = context.follow_symlinks,
                                .key = context.key,
                                .skip_unsupported = context.skip_unsupported,
                                .keep_prefixes = context.keep_prefixes,
                                .npy_bf16 = context.npy_bf16,
                                .threads = context.threads,
                                .warn = console.warner()});
  return dtype.empty() ? model
                       : ConvertModel(model, path, ParseType(dtype), console);
}

OpenedModels OpenModels(const std::vector<std::string>& paths,
                        const Context& context, Console& console,
                        const std::string& dtype,
                        const std::vector<std::string>& trained) {
  OpenedModels models;
  models.paths = paths;
  models.weights.resize(paths.size());
  models.graphs.resize(paths.size());
  models.differences.resize(paths.size());
  models.own_names.resize(paths.size());
  std::vector<size_t> onnx;
  for (size_t m = 0; m < paths.size(); ++m) {
    if (IsOnnx(paths[m])) {
      onnx.push_back(m);
    } else {
      models.weights[m] = OpenModel(paths[m], context, console, dtype);
    }
  }
  if (!onnx.empty()) {
    ReadGraphs(onnx, context, console, dtype, trained, models);
  }
  return models;
}

ModelFiles OpenedModels::Files() const {
  ModelFiles files;
  for (size_t m = 0; m < paths.size(); ++m) {
    files.push_back({paths[m], &weights[m], beside, graphs[m]});
  }
  return files;
}

Checkpoint OpenedModels::TakeLast() {
  Checkpoint last = std::move(weights.back());
  paths.pop_back();
  weights.pop_back();
  graphs.pop_back();
  differences.pop_back();
  own_names.pop_back();
  return last;
}

std::string AlignmentText(const Alignment& alignment,
                          const OpenedModels& models, size_t model) {
  const auto& names = models.own_names[model];
  const Checkpoint& weights = models.weights[model];
  if (names.empty()) return alignment.ToJson(Fingerprint(weights));
  return RenameTensors(alignment, names)
      .ToJson(Fingerprint(RenameTensors(weights, names)));
}

void RequireSameGraphs(const OpenedModels& models) {
  const auto first =
      std::find_if(models.graphs.begin(), models.graphs.end(),
                   [](const auto& graph) { return graph != nullptr; });
  for (size_t m = 0; m < models.paths.size(); ++m) {
    const auto& differences = models.differences[m];
    if (differences.empty()) continue;
    const auto& a = models.paths[first - models.graphs.begin()];
    throw Error(ErrorCode::kMismatch,
                "the graphs of A, " + Quoted(a) + ", and B, " +
                    Quoted(models.paths[m]) +
                    ", differ: " + DifferencesText(differences),
                "`rebasin diff` lists all differences; models of different "
                "graphs cannot be matched");
  }
}

void RequireTensors(const Checkpoint& model, const std::string& path) {
  if (!model.tensors().empty()) return;
  throw Error(ErrorCode::kMismatch, Quoted(path) + " holds no tensors");
}

void WarnIfSame(const Checkpoint& a, const Checkpoint& b, int threads,
                Console& console) {
  if (SameContent(a, b, nullptr, threads)) {
    console.Warn("the models hold the same content");
  }
}

}  // namespace rebasin::cli
