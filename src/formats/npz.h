// NumPy's .npz files: zip archives with one .npy file for each array.

#ifndef REBASIN_FORMATS_NPZ_H_
#define REBASIN_FORMATS_NPZ_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/input_file.h"
#include "formats/npy.h"
#include "io/zip.h"
#include "rebasin/checkpoint.h"
#include "rebasin/tensor.h"

namespace rebasin {

struct NpzOptions {
  NpyOptions arrays = {};
  // Skip arrays of unsupported types with a warning instead of throwing.
  bool skip_unsupported = false;
  // Called for each entry that is not an array and is skipped. May be empty.
  std::function<void(const std::string&)> warn = {};
};

// Returns the name of the array in an entry; nothing if it has none. In that
// case calls `warn`, unless the entry is a folder.
std::optional<std::string> ArrayName(const ZipEntry& entry,
                                     const NpzOptions& options,
                                     const std::string& source);

// Throws Error(kBadInput) if there are entries "a" and "a.npy": readers that
// drop the extension could take one for the other.
void CheckArrayNames(const ZipArchive& archive, const std::string& source);

// Reads all arrays of an archive; `owner` keeps its bytes alive. Throws like
// ReadNpy and CheckArrayNames, and Error(kMismatch) if there are no arrays.
std::vector<Tensor> ReadNpzTensors(const ZipArchive& archive,
                                   const std::shared_ptr<const void>& owner,
                                   const NpzOptions& options,
                                   const std::string& source);

// True for any zip archive; check IsTorch first.
bool IsNpz(const InputFile& file);
Checkpoint ReadNpzFile(const InputFile& file, const OpenOptions& options,
                       const Run& run);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_NPZ_H_
