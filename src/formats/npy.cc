#include "formats/npy.h"

#include <utility>
#include <vector>

#include "formats/rearrange.h"
#include "formats/sniff.h"

namespace rebasin {
namespace {

// The strides of an array whose first axis varies fastest.
Shape ColumnMajorStrides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (size_t axis = 1; axis < shape.size(); ++axis) {
    strides[axis] = strides[axis - 1] * shape[axis - 1];
  }
  return strides;
}

}  // namespace

Tensor ReadNpy(std::span<const std::byte> file,
               std::shared_ptr<const void> owner, std::string name,
               const std::string& source, const NpyOptions& options) {
  NpyHeader header = ReadNpyHeader(file, source, options);
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.dtype = header.dtype;
  tensor.bytes = file.subspan(header.data_begin);
  tensor.owner = std::move(owner);
  const bool transposed = header.fortran_order && header.shape.size() > 1;
  if ((transposed || header.big_endian) && !tensor.bytes.empty()) {
    auto buffer = std::make_shared<std::vector<std::byte>>(tensor.bytes.begin(),
                                                           tensor.bytes.end());
    if (transposed) {
      const size_t item = static_cast<size_t>(DTypeBits(header.dtype)) / 8;
      CopyStrided(tensor.bytes, header.shape, ColumnMajorStrides(header.shape),
                  item, *buffer);
    }
    if (header.big_endian) SwapByteOrder(header.dtype, *buffer);
    tensor.bytes = *buffer;
    tensor.owner = std::move(buffer);
  }
  tensor.shape = std::move(header.shape);
  return tensor;
}

bool IsNpy(const InputFile& file) {
  return StartsWith(file.bytes(), "\x93NUMPY");
}

Checkpoint ReadNpyFile(const InputFile& file, const OpenOptions& options,
                       const Run&) {
  return file.Build(
      {ReadNpy(file.bytes(), file.mapped(), file.path().stem().native(),
               file.source(), {.v2_is_bf16 = options.npy_bf16})});
}

}  // namespace rebasin
