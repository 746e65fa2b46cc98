// Reads a model: combines the functions of the other files.

#include <span>

#include "formats/checkpoint_builder.h"
#include "onnx/graph_reader.h"
#include "onnx/model_file.h"
#include "onnx/onnx.h"
#include "onnx/roles.h"
#include "onnx/wire.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

Checkpoint WeightsOf(const ModelFile& file, const std::vector<Role>& roles) {
  CheckpointBuilder builder;
  for (size_t i = 0; i < roles.size(); ++i) {
    if (roles[i] == Role::kWeight) builder.AddTensor(file.initializers()[i]);
  }
  for (const auto& mapped : file.files()) builder.Watch(mapped);
  return builder.Build();
}

void Read(ModelFile& file, const OnnxOptions& options, OnnxModel& result) {
  const auto roles = ClassifyInitializers(file, options);
  result.graph = ReadGraph(file, roles);
  result.weights = WeightsOf(file, roles);
  file.DropNodes();
}

}  // namespace

bool IsOnnx(const fs::path& path) {
  return IsRegularFile(path) && StartsLikeOnnx(MappedFile::Open(path)->bytes());
}

OnnxModel ReadOnnx(const fs::path& path, const OnnxOptions& options) {
  OnnxModel result;
  ModelFile file(path, options, result.warnings);
  Read(file, options, result);
  return result;
}

OnnxModel ReadOnnxBytes(std::string_view bytes, const std::string& name,
                        const OnnxOptions& options) {
  OnnxOptions alone = options;
  alone.external_data = false;
  OnnxModel result;
  ModelFile file(std::as_bytes(std::span(bytes)), name, alone, result.warnings);
  Read(file, alone, result);
  return result;
}

Checkpoint ReadOnnxWeights(const fs::path& path, const OnnxOptions& options,
                           std::vector<std::string>* warnings) {
  std::vector<std::string> lines;
  ModelFile file(path, options, lines);
  if (warnings) warnings->insert(warnings->end(), lines.begin(), lines.end());
  Checkpoint weights = WeightsOf(file, ClassifyInitializers(file, options));
  file.DropNodes();
  return weights;
}

}  // namespace rebasin
