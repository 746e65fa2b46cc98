#include "data/folder.h"

#include <utility>

#include "data/cifar.h"
#include "data/npz.h"
#include "io/file.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

void RefusePythonVersion(const fs::path& folder) {
  for (const char* name : {"data_batch_1", "test_batch", "cifar-10-batches-py",
                           "cifar-100-python"}) {
    if (FileExists(folder / name))
      ThrowPickle(Quoted((folder / name).native()));
  }
}

Examples ReadNpzPart(const fs::path& path, const NpzOptions& options) {
  if (!FileExists(path)) return {};
  const auto file = MappedFile::Open(path);
  return ReadNpz(file->bytes(), Quoted(path.native()), options);
}

std::optional<FolderForm> FindNpz(const fs::path& folder,
                                  const NpzOptions& options) {
  if (!HoldsAnyFile(folder, {"train.npz", "test.npz"})) return std::nullopt;
  return FolderForm{
      "a NumPy data set", [folder, options] {
        return MakeSplits(
            "train.npz", ReadNpzPart(folder / "train.npz", options), "test.npz",
            ReadNpzPart(folder / "test.npz", options));
      }};
}

}  // namespace

bool FileExists(const fs::path& path) {
  std::error_code ignored;  // unreadable files count as missing
  return fs::exists(path, ignored);
}

bool HoldsAnyFile(const fs::path& folder, const FileNames& names) {
  for (const std::string& name : names) {
    if (FileExists(folder / name)) return true;
  }
  return false;
}

void RequireFiles(const fs::path& folder, const FileNames& names,
                  const std::string& form) {
  std::string missing;
  for (const std::string& name : names) {
    if (!FileExists(folder / name))
      missing += (missing.empty() ? "" : ", ") + name;
  }
  if (missing.empty()) return;
  throw Error(ErrorCode::kIo, Quoted(folder.native()) + " lacks files of " +
                                  form + ": " + missing);
}

std::vector<FolderForm> FindForms(const fs::path& folder,
                                  const NpzOptions& options) {
  std::vector<FolderForm> forms;
  for (auto form : {FindIdx(folder), FindCifar(folder, Cifar::k10),
                    FindCifar(folder, Cifar::k100), FindNpz(folder, options)}) {
    if (form) forms.push_back(std::move(*form));
  }
  if (forms.empty()) RefusePythonVersion(folder);
  return forms;
}

}  // namespace rebasin
