// Finds out what a path leads to, and opens it.

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "base/parallel.h"
#include "formats/checkpoint_builder.h"
#include "formats/npy.h"
#include "formats/npz.h"
#include "formats/sniff.h"
#include "formats/torch.h"
#include "formats/wrappers.h"
#include "io/file.h"
#include "io/system.h"
#include "rebasin/checkpoint.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kIndexEnding = ".safetensors.index.json";
constexpr std::string_view kFileEnding = ".safetensors";

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

// The index of the folder if there is one, else its only safetensors file.
fs::path ModelInFolder(const fs::path& folder) {
  for (const std::string_view ending : {kIndexEnding, kFileEnding}) {
    const auto found = FilesEndingWith(folder, ending);
    if (found.size() == 1) return found[0];
    if (found.empty()) continue;
    throw Error(ErrorCode::kUsage,
                Quoted(folder.native()) + " holds " +
                    std::to_string(found.size()) + " models, among them " +
                    Quoted(found[0].filename().native()) + " and " +
                    Quoted(found[1].filename().native()),
                "name one of them");
  }
  if (IsRegularFile(folder / "saved_model.pb")) {
    throw Error(ErrorCode::kBadInput,
                Quoted(folder.native()) + " looks like a TensorFlow SavedModel",
                "export the model as .onnx instead");
  }
  throw Error(ErrorCode::kIo,
              Quoted(folder.native()) +
                  " is a directory and holds no .safetensors file");
}

StateDictOptions StateDictOptionsOf(const OpenOptions& options) {
  return {.key = options.key,
          .skip_unsupported = options.skip_unsupported,
          .warn = options.warn};
}

std::vector<Tensor> ReadArchive(const std::shared_ptr<const MappedFile>& file,
                                const OpenOptions& options,
                                const std::string& source) {
  constexpr size_t kWorthThreads = size_t{16} << 20;
  ThreadPool pool(file->bytes().size() < kWorthThreads ? 1 : options.threads);
  const ZipArchive archive(file->bytes(), source, &pool);
  if (!IsTorchArchive(archive)) {
    return ReadNpzTensors(archive, file,
                          {.arrays = {.v2_is_bf16 = options.npy_bf16},
                           .skip_unsupported = options.skip_unsupported,
                           .warn = options.warn},
                          source);
  }
  return ReadTorchArchive(archive, file, StateDictOptionsOf(options), source);
}

void AddFile(const fs::path& path, const OpenOptions& options,
             CheckpointBuilder& builder) {
  const auto file = MappedFile::Open(path);
  const std::string source = Quoted(path.native());
  std::vector<Tensor> tensors;
  switch (SniffFormat(file->bytes())) {
    case ModelFormat::kSafetensors:
      builder.AddSafetensors(file);
      return;
    case ModelFormat::kZip:
      tensors = ReadArchive(file, options, source);
      break;
    case ModelFormat::kPickle:
      tensors = ReadLegacyTorch(file->bytes(), file,
                                StateDictOptionsOf(options), source);
      break;
    case ModelFormat::kNpy:  // an array without a name has that of its file
      tensors = {ReadNpy(file->bytes(), file, path.stem().native(), source,
                         {.v2_is_bf16 = options.npy_bf16})};
      break;
  }
  for (Tensor& tensor : tensors) builder.AddTensor(std::move(tensor));
  builder.Watch(file);
}

// Names that occur twice are noticed only now, and the file is to be named.
Checkpoint BuildNamed(CheckpointBuilder& builder, const fs::path& path) {
  try {
    return builder.Build();
  } catch (const Error& error) {
    throw Error(error.code(), Quoted(path.native()) + ": " + error.what());
  }
}

Checkpoint OpenFile(const fs::path& file, const OpenOptions& options) {
  if (file.native().ends_with(".json")) return OpenSharded(file, options);
  CheckpointBuilder builder(options.warn);
  AddFile(file, options, builder);
  return BuildNamed(builder, file);
}

Checkpoint Unwrapped(const Checkpoint& model, const fs::path& file,
                     const OpenOptions& options) {
  const std::string prefix = WrapperPrefix(model, kWrappers);
  if (prefix.empty()) return model;
  if (options.warn) {
    options.warn(Quoted(file.native()) + ": all names start with " +
                 Quoted(prefix) + ", which is taken off");
  }
  return WithoutPrefix(model, prefix);
}

}  // namespace

Checkpoint Checkpoint::Open(const fs::path& path, const OpenOptions& options) {
  std::error_code ignored;  // opening reports what is wrong
  const fs::path file =
      fs::is_directory(path, ignored) ? ModelInFolder(path) : path;
  const Checkpoint model = OpenFile(file, options);
  return options.keep_prefixes ? model : Unwrapped(model, file, options);
}

}  // namespace rebasin
