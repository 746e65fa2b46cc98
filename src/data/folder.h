// The forms in which data sets lie in folders.

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

// A data set in a folder: what it is, and how to read it.
struct FolderForm {
  std::string name;  // "CIFAR-10"
  std::function<DataSplits()> read;
};

// Every form of which the folder holds at least one file. A set that lacks
// files is found, too; reading it throws Error(kIo) that names them. Throws
// Error(kUnsupported) if there is nothing but the Python version of CIFAR.
// `options` are for archives.
std::vector<FolderForm> FindForms(const std::filesystem::path& folder,
                                  const NpzOptions& options);

// Each form by itself. Of an IDX set, either part may be missing as a whole;
// CIFAR is complete or refused.
std::optional<FolderForm> FindIdx(const std::filesystem::path& folder);
std::optional<FolderForm> FindCifar(const std::filesystem::path& folder,
                                    Cifar cifar);

using FileNames = std::vector<std::string>;

bool FileExists(const std::filesystem::path& path);
bool HoldsAnyFile(const std::filesystem::path& folder, const FileNames& names);
// Throws Error(kIo) that lists what is missing of `form`.
void RequireFiles(const std::filesystem::path& folder, const FileNames& names,
                  const std::string& form);

}  // namespace rebasin

#endif  // REBASIN_DATA_FOLDER_H_
