// Opens a path of any supported kind.

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include "formats/checkpoint_builder.h"
#include "formats/formats.h"
#include "formats/wrappers.h"
#include "io/file.h"
#include "io/system.h"
#include "rebasin/checkpoint.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

// What a folder may hold, in the order of preference.
constexpr std::array<std::string_view, 3> kEndings = {
    ".safetensors.index.json", ".safetensors", ".bin.index.json"};
// The usual names. Beside them there may be others: the same model at another
// precision, states of training.
constexpr std::array<std::string_view, 4> kUsualNames = {
    "model.safetensors.index.json", "model.safetensors",
    "pytorch_model.bin.index.json", "pytorch_model.bin"};

std::vector<fs::path> FilesEndingWith(const fs::path& folder,
                                      std::string_view ending) {
  std::error_code error;
  std::vector<fs::path> found;
  fs::directory_iterator files(folder, error);
  for (; !error && files != fs::directory_iterator(); files.increment(error)) {
    const fs::path& path = files->path();
    if (path.filename().native().ends_with(ending)) found.push_back(path);
  }
  if (error) ThrowIo("list", folder, error.value());
  std::sort(found.begin(), found.end());
  return found;
}

[[noreturn]] void FailMany(const fs::path& folder,
                           const std::vector<fs::path>& found) {
  const std::string first = found[0].filename().native();
  const bool shards = first.find("-of-") != std::string::npos;
  throw Error(ErrorCode::kUsage,
              Quoted(folder.native()) + " holds " +
                  std::to_string(found.size()) + " models, among them " +
                  Quoted(first) + " and " +
                  Quoted(found[1].filename().native()),
              shards ? "they look like shards, but their index "
                       "(*.index.json) is missing"
                     : "name one of them");
}

// Returns the index in the folder, or its only model.
fs::path ModelInFolder(const fs::path& folder) {
  for (const std::string_view name : kUsualNames) {
    if (IsRegularFile(folder / name)) return folder / name;
  }
  for (const std::string_view ending : kEndings) {
    const auto found = FilesEndingWith(folder, ending);
    if (found.size() == 1) return found[0];
    if (!found.empty()) FailMany(folder, found);
  }
  if (IsRegularFile(folder / "saved_model.pb")) {
    throw Error(ErrorCode::kBadInput,
                Quoted(folder.native()) + " looks like a TensorFlow SavedModel",
                "export the model as .onnx instead");
  }
  throw Error(ErrorCode::kIo,
              Quoted(folder.native()) +
                  " is a directory and holds no .safetensors file and no "
                  "pytorch_model.bin");
}

Checkpoint Unwrapped(const Checkpoint& model, const InputFile& file,
                     const Run& run) {
  const std::string prefix = WrapperPrefix(model, kWrappers);
  if (prefix.empty()) return model;
  run.Warn(file.source() + ": all names start with " + Quoted(prefix) +
           ", which is removed");
  return WithoutPrefix(model, prefix);
}

// A file may already have the new name, so that models with different names can
// be opened with one list.
Checkpoint Renamed(const Checkpoint& model, const OpenOptions& options,
                   const InputFile& file) {
  if (options.renames.empty()) return model;
  std::map<std::string, std::string> new_names;
  for (const auto& [from, to] : options.renames) {
    if (model.Find(from) == nullptr && model.Find(to) == nullptr) {
      throw Error(ErrorCode::kUsage,
                  file.source() + " has no tensor " + Quoted(from) +
                      ", which is to be renamed to " + Quoted(to),
                  "rebasin inspect FILE lists its tensors");
    }
    new_names[from] = to;
  }
  CheckpointBuilder builder;
  builder.WatchFilesOf(model);
  builder.AddMetadata(model.metadata());
  for (Tensor tensor : model.tensors()) {
    const auto found = new_names.find(tensor.name);
    if (found != new_names.end()) tensor.name = found->second;
    builder.AddTensor(std::move(tensor));
  }
  return builder.Build();
}

}  // namespace

Checkpoint Checkpoint::Open(const fs::path& path, const OpenOptions& options,
                            const Run& run) {
  std::error_code ignored;  // opening reports the error
  const InputFile file(
      fs::is_directory(path, ignored) ? ModelInFolder(path) : path,
      run.threads);
  const Checkpoint model =
      CheckpointFormats().Of(file).read(file, options, run);
  return Renamed(options.keep_prefixes ? model : Unwrapped(model, file, run),
                 options, file);
}

}  // namespace rebasin
