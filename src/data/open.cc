// Reads a data set from a path of any supported kind.

#include <algorithm>
#include <string_view>
#include <utility>

#include "data/cifar.h"
#include "data/folder.h"
#include "data/npz.h"
#include "io/file.h"
#include "rebasin/error.h"
#include "rebasin/nn/data.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

DataSplits OpenFolder(const fs::path& folder, const NpzOptions& options) {
  const std::vector<FolderForm> forms = FindForms(folder, options);
  if (forms.size() == 1) return forms[0].read();
  if (forms.empty()) {
    throw Error(
        ErrorCode::kIo,
        Quoted(folder.native()) + " is a directory and holds no known data set",
        "it should hold the files of MNIST (IDX), CIFAR-10 or "
        "CIFAR-100 (binary), or train.npz and test.npz");
  }
  throw Error(ErrorCode::kUsage,
              Quoted(folder.native()) + " holds both " + forms[0].name +
                  " and " + forms[1].name,
              "give a folder that holds one of them only");
}

bool StartsWith(std::span<const std::byte> file, std::string_view start) {
  return file.size() >= start.size() &&
         std::equal(start.begin(), start.end(), file.begin(),
                    [](char a, std::byte b) { return std::byte(a) == b; });
}

DataSplits OpenNpz(std::span<const std::byte> file, const fs::path& path,
                   const NpzOptions& options) {
  return MakeSplits("", {}, Printable(path.filename().native()),
                    ReadNpz(file, Quoted(path.native()), options));
}

DataSplits OpenCifar(std::span<const std::byte> file, const fs::path& path) {
  const std::string source = Quoted(path.native());
  const Cifar cifar = RecogniseCifar(file, source);
  Examples examples;
  examples.shape = {3, 32, 32};
  AppendCifar(file, cifar, source, examples);
  return MakeSplits("", {}, CifarName(cifar) + " test", std::move(examples),
                    CifarClasses(cifar));
}

// Recognises a single file by content; CIFAR files have no magic number.
DataSplits OpenFile(const fs::path& path, const NpzOptions& options) {
  const auto file = MappedFile::Open(path);
  const auto bytes = file->bytes();
  if (StartsWith(bytes, "PK") || path.native().ends_with(".npz")) {
    return OpenNpz(bytes, path, options);
  }
  if (StartsWith(bytes, std::string_view("\0\0\x08", 3)) ||
      StartsWith(bytes, "\x1F\x8B")) {
    throw Error(ErrorCode::kUnsupported,
                Quoted(path.native()) +
                    ": one IDX or .gz file is only a part of a data set",
                "give the folder that holds images and labels");
  }
  return OpenCifar(bytes, path);
}

}  // namespace

DataSplits OpenData(const fs::path& path, const DataOptions& options,
                    const Run& run) {
  const NpzOptions archives{.arrays = {.v2_is_bf16 = options.npy_bf16},
                            .warn = run.warn};
  std::error_code ignored;  // opening reports the error
  return fs::is_directory(path, ignored) ? OpenFolder(path, archives)
                                         : OpenFile(path, archives);
}

}  // namespace rebasin
