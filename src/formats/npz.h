// NumPy's .npz files: zip archives of .npy files, one an array.

#ifndef REBASIN_FORMATS_NPZ_H_
#define REBASIN_FORMATS_NPZ_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/npy.h"
#include "io/zip.h"
#include "rebasin/tensor.h"

namespace rebasin {

struct NpzOptions {
  NpyOptions arrays = {};
  // Told of each entry that is no array, which is left out. May be empty.
  std::function<void(const std::string&)> warn = {};
};

// The name of the array that an entry holds; nothing if it holds none, in which
// case `warn` is told unless it is a folder.
std::optional<std::string> ArrayName(const ZipEntry& entry,
                                     const NpzOptions& options,
                                     const std::string& source);

// Every array of the archive, whose bytes `owner` keeps, under its name. Throws
// as ReadNpy does, and Error(kMismatch) if there are no arrays.
std::vector<Tensor> ReadNpzTensors(const ZipArchive& archive,
                                   const std::shared_ptr<const void>& owner,
                                   const NpzOptions& options,
                                   const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_NPZ_H_
