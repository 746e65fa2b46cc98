#include "formats/save_model.h"

#include <string>
#include <vector>

#include "formats/sniff.h"
#include "io/file.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

// The names of writable formats with this property.
std::string NamesWith(const FormatTable& formats, bool Format::*property) {
  std::string names;
  for (const Format& format : formats.rows()) {
    if (!format.write || format.holds_graph || !(format.*property)) continue;
    names += (names.empty() ? "" : " and ") + std::string(format.name);
  }
  return names;
}

void CheckFormat(const FormatTable& formats, const Format& format,
                 const OutputFile& output) {
  const std::string ending(format.endings[0]);
  if (!format.write) formats.FailReadOnly(ending);
  if (format.holds_graph && output.graph_from.empty()) {
    throw Error(ErrorCode::kUsage,
                "cannot write " + Quoted(output.path.native()) + ": no " +
                    ending + " file to take the graph from",
                "write a .safetensors file, or give --model FILE" + ending);
  }
  if (output.write.shard_bytes > 0 && !format.streams) {
    throw Error(ErrorCode::kUsage, "only " +
                                       NamesWith(formats, &Format::streams) +
                                       " are written in shards");
  }
}

const Format& FormatOf(const fs::path& path, const SaveOptions& options) {
  const FormatTable& formats = CheckpointFormats();
  if (options.format.empty()) return formats.For(path);
  if (const Format* found = formats.Find(options.format)) return *found;
  throw Error(ErrorCode::kUsage,
              "there is no format " + Quoted(options.format));
}

}  // namespace

void CheckOutput(const FormatTable& formats, const Format& format,
                 const OutputFile& output, const Checkpoint& checkpoint) {
  CheckFormat(formats, format, output);
  std::vector<TensorPlan> plan;
  for (const Tensor& tensor : checkpoint.tensors()) {
    plan.push_back({tensor.name, tensor.dtype, tensor.shape});
  }
  // Removes what it created, because Commit() is not called.
  const CheckpointWriter probe(output.path, plan, checkpoint.metadata(),
                               output.write);
}

void WriteOutput(const FormatTable& formats, const Format& format,
                 const OutputFile& output, const Checkpoint& checkpoint,
                 const Run& run) {
  CheckFormat(formats, format, output);
  if (!format.holds_metadata && !checkpoint.metadata().empty()) {
    run.Warn("metadata is not written: only " +
             NamesWith(formats, &Format::holds_metadata) + " store it");
  }
  format.write(checkpoint, output, run);
}

bool IsTextFile(const fs::path& path) {
  if (path.native().ends_with(".index.json") || !IsRegularFile(path)) {
    return false;
  }
  const auto kind = SniffWrongKind(MappedFile::Open(path)->bytes());
  return kind && kind->is_text;
}

void SaveModel(const Checkpoint& checkpoint, const fs::path& path,
               const SaveOptions& options, const Run& run) {
  WriteOutput(CheckpointFormats(), FormatOf(path, options),
              {.path = path, .write = options.write}, checkpoint, run);
}

void CheckSaveModel(const Checkpoint& checkpoint, const fs::path& path,
                    const SaveOptions& options) {
  CheckOutput(CheckpointFormats(), FormatOf(path, options),
              {.path = path, .write = options.write}, checkpoint);
}

}  // namespace rebasin
