// NumPy's .npz files: zip archives of .npy files, one an array.

#ifndef REBASIN_FORMATS_NPZ_H_
#define REBASIN_FORMATS_NPZ_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/zip.h"
#include "rebasin/tensor.h"

namespace rebasin {

// Every array of the archive, whose bytes `owner` keeps, under its name.
// Entries that are no arrays are left out, and `warn` told so. Throws as
// ReadNpy does, and Error(kMismatch) if there are no arrays.
std::vector<Tensor> ReadNpzTensors(
    const ZipArchive& archive, const std::shared_ptr<const void>& owner,
    const std::function<void(const std::string&)>& warn,
    const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_NPZ_H_
