// NumPy's .npy files, each with one array. Nothing in them is evaluated.

#ifndef REBASIN_FORMATS_NPY_H_
#define REBASIN_FORMATS_NPY_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "formats/input_file.h"
#include "rebasin/checkpoint.h"
#include "rebasin/tensor.h"

namespace rebasin {

struct NpyHeader {
  DType dtype = DType::kF32;
  bool big_endian = false;
  bool fortran_order = false;  // the first axis varies fastest
  Shape shape;
  size_t data_begin = 0;  // offset of the elements in the file
};

struct NpyOptions {
  bool v2_is_bf16 = false;  // read two-byte void elements as BF16
};

// Reads and checks the header of a file with content `file`, in format versions
// 1 to 3, and checks that the elements exactly fill the rest. `source` is the
// start of messages. Throws Error(kBadInput) if the file breaks the rules of
// the format, Error(kUnsupported) for objects, strings, records and times,
// Error(kLimit) for a header of more than 10,000 bytes or more than kMaxRank
// axes.
NpyHeader ReadNpyHeader(std::span<const std::byte> file,
                        const std::string& source,
                        const NpyOptions& options = {});

// Returns the array as a tensor `name`: row-major and little-endian. Refers to
// `file`, which `owner` keeps alive, unless elements must be rearranged. Throws
// like ReadNpyHeader.
Tensor ReadNpy(std::span<const std::byte> file,
               std::shared_ptr<const void> owner, std::string name,
               const std::string& source, const NpyOptions& options = {});

// The array gets the name of its file without the extension.
bool IsNpy(const InputFile& file);
Checkpoint ReadNpyFile(const InputFile& file, const OpenOptions& options,
                       const Run& run);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_NPY_H_
