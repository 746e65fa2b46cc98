// NumPy's .npy files: one array each. Nothing in them is ever evaluated.

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
  bool fortran_order = false;  // the first axis runs fastest
  Shape shape;
  size_t data_begin = 0;  // where in the file the elements start
};

struct NpyOptions {
  bool v2_is_bf16 = false;  // two bytes without a meaning are BF16
};

// Reads and checks the header of the file whose content is `file`, of format
// versions 1 to 3, and that the elements fill the rest exactly. `source` starts
// messages. Throws Error(kBadInput) for what breaks the format's rules,
// Error(kUnsupported) for objects, strings, records and times, Error(kLimit)
// for a header of more than 10,000 bytes or more than kMaxRank axes.
NpyHeader ReadNpyHeader(std::span<const std::byte> file,
                        const std::string& source,
                        const NpyOptions& options = {});

// The whole array, named `name`, as tensors are: row-major and little-endian.
// The bytes are those of `file`, kept alive by `owner`, unless they have to be
// rearranged. Throws as ReadNpyHeader does.
Tensor ReadNpy(std::span<const std::byte> file,
               std::shared_ptr<const void> owner, std::string name,
               const std::string& source, const NpyOptions& options = {});

// An array has no name: it gets that of its file, without the ending.
bool IsNpy(const InputFile& file);
Checkpoint ReadNpyFile(const InputFile& file, const OpenOptions& options,
                       const Run& run);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_NPY_H_
