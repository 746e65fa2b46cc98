// NumPy's .npz files: zip archives of .npy files, one an array.

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
  // Leave out arrays of unsupported types, with a warning, instead of throwing.
  bool skip_unsupported = false;
  // Told of each entry that is no array, which is left out. May be empty.
  std::function<void(const std::string&)> warn = {};
};

// The name of the array that an entry holds; nothing if it holds none, in which
// case `warn` is told unless it is a folder.
std::optional<std::string> ArrayName(const ZipEntry& entry,
                                     const NpzOptions& options,
                                     const std::string& source);

// Throws Error(kBadInput) if an entry "a" stands beside the array "a.npy":
// readers that leave the ending out take either for the other.
void CheckArrayNames(const ZipArchive& archive, const std::string& source);

// Every array of the archive, whose bytes `owner` keeps, under its name. Throws
// as ReadNpy and CheckArrayNames do, and Error(kMismatch) if there are no
// arrays.
std::vector<Tensor> ReadNpzTensors(const ZipArchive& archive,
                                   const std::shared_ptr<const void>& owner,
                                   const NpzOptions& options,
                                   const std::string& source);

// Any zip archive; ask whether it is PyTorch's first.
bool IsNpz(const InputFile& file);
Checkpoint ReadNpzFile(const InputFile& file, const OpenOptions& options,
                       const Run& run);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_NPZ_H_
