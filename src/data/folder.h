// The layouts of data sets in folders.

#ifndef REBASIN_DATA_FOLDER_H_
#define REBASIN_DATA_FOLDER_H_

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/cifar.h"
#include "formats/npz.h"
#include "rebasin/nn/data.h"

namespace rebasin {

// A data set in a folder: its name, and a function that reads it.
struct FolderForm {
  std::string name;  // "CIFAR-10"
  std::function<DataSplits()> read;
};

// Returns every layout of which the folder has at least one file. An incomplete
// set is included; reading it throws Error(kIo) that lists the missing files.
// Throws Error(kUnsupported) if there is only the Python version of CIFAR.
// `options` are for archives.
std::vector<FolderForm> FindForms(const std::filesystem::path& folder,
                                  const NpzOptions& options);

// Look for one layout each. Either part of an IDX set may be missing as a
// whole; CIFAR must be complete.
std::optional<FolderForm> FindIdx(const std::filesystem::path& folder);
std::optional<FolderForm> FindCifar(const std::filesystem::path& folder,
                                    Cifar cifar);

using FileNames = std::vector<std::string>;

bool FileExists(const std::filesystem::path& path);
bool HoldsAnyFile(const std::filesystem::path& folder, const FileNames& names);
// Throws Error(kIo) that lists the missing files of `form`.
void RequireFiles(const std::filesystem::path& folder, const FileNames& names,
                  const std::string& form);

}  // namespace rebasin

#endif  // REBASIN_DATA_FOLDER_H_
