#include "cli/model_output.h"

#include "cli/output.h"
#include "formats/sniff.h"
#include "formats/torch.h"
#include "io/file.h"
#include "rebasin/error.h"
#include "rebasin/onnx.h"

namespace rebasin::cli {
namespace fs = std::filesystem;
namespace {

void CheckFormat(const ModelOutput& output) {
  if (output.format == FileFormat::kNpy) FailUnwritable(".npy");
  if (output.format == FileFormat::kOnnx && output.onnx_template.empty()) {
    throw Error(ErrorCode::kUsage,
                "cannot write " + Quoted(output.path.native()) +
                    ": no .onnx file to take the graph from",
                "write a .safetensors file, or give --model FILE.onnx");
  }
  if (output.write.shard_bytes > 0 &&
      output.format != FileFormat::kSafetensors) {
    throw Error(ErrorCode::kUsage, "only safetensors are written in shards");
  }
}

bool IsText(const fs::path& file) {
  if (file.native().ends_with(".index.json") || !IsRegularFile(file)) {
    return false;
  }
  const auto kind = SniffWrongKind(MappedFile::Open(file)->bytes());
  return kind &&
         (kind->name.starts_with("text") || kind->name == "a JSON file");
}

}  // namespace

const char* FormatName(FileFormat format) {
  switch (format) {
    case FileFormat::kSafetensors:
      return "safetensors";
    case FileFormat::kTorch:
      return "PyTorch";
    case FileFormat::kNpz:
      return "npz";
    case FileFormat::kNpy:
      return "npy";
    case FileFormat::kOnnx:
      break;
  }
  return "ONNX";
}

FileFormat FormatOf(const fs::path& file) {
  if (IsOnnx(file)) return FileFormat::kOnnx;
  const auto mapped = MappedFile::Open(file);
  switch (SniffFormat(mapped->bytes())) {
    case ModelFormat::kZip:
      return IsTorchArchive(ZipArchive(mapped->bytes(), Quoted(file.native())))
                 ? FileFormat::kTorch
                 : FileFormat::kNpz;
    case ModelFormat::kPickle:
      return FileFormat::kTorch;
    case ModelFormat::kNpy:
      return FileFormat::kNpy;
    case ModelFormat::kSafetensors:
      break;
  }
  return FileFormat::kSafetensors;
}

FileFormat FormatFor(const fs::path& output) {
  const std::string ending = output.extension();
  if (ending == ".pt" || ending == ".pth" || ending == ".th") {
    return FileFormat::kTorch;
  }
  if (ending == ".npz") return FileFormat::kNpz;
  if (ending == ".npy") return FileFormat::kNpy;
  if (ending == ".onnx") return FileFormat::kOnnx;
  // PyTorch's as a rule, but anybody's.
  if (ending == ".bin") FailUnwritable(".bin");
  // Of an index; and what has no ending has no other format.
  if (ending == ".safetensors" || ending == ".json" || ending.empty()) {
    return FileFormat::kSafetensors;
  }
  throw Error(ErrorCode::kUsage,
              "cannot write " + Quoted(output.native()) +
                  ": there is no writer for names that end with " +
                  Quoted(ending),
              "end the name in .safetensors, .pt or .npz");
}

void FailUnwritable(const std::string& ending) {
  throw Error(ErrorCode::kUnsupported,
              "files that end with " + ending + " are read, not written",
              "write a .safetensors, .pt or .npz file");
}

void CheckModelOutput(const ModelOutput& output, const Checkpoint& model,
                      const Context& context) {
  CheckFormat(output);
  // A model may replace another, but no spec and no alignment.
  if (IsText(output.path)) CheckIsNoInput(output.path, context);
  std::vector<TensorPlan> plan;
  for (const Tensor& tensor : model.tensors()) {
    plan.push_back({tensor.name, tensor.dtype, tensor.shape});
  }
  // Without Commit() it removes what it created.
  const CheckpointWriter probe(output.path, plan, model.metadata(),
                               output.write);
}

void WriteModel(const ModelOutput& output, const Checkpoint& model,
                Console& console) {
  CheckFormat(output);
  const bool archive =
      output.format == FileFormat::kTorch || output.format == FileFormat::kNpz;
  if (archive && !model.metadata().empty()) {
    console.Warn("metadata stays behind: only safetensors have it");
  }
  switch (output.format) {
    case FileFormat::kTorch:
      return SaveTorch(model, output.path, output.write);
    case FileFormat::kNpz:
      return SaveNpz(model, output.path, output.write);
    case FileFormat::kOnnx:
      return WriteOnnx(output.onnx_template, model, output.path, output.write);
    case FileFormat::kSafetensors:
    case FileFormat::kNpy:  // refused above
      return SaveCheckpoint(model, output.path, output.write);
  }
}

}  // namespace rebasin::cli
