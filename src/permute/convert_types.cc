// Converts the floating-point tensors of a model to another element type.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "rebasin/alignment.h"
#include "rebasin/error.h"
#include "symmetry/ties.h"
#include "tensor/convert.h"

namespace rebasin {
namespace {

constexpr int64_t kPiece = 4096;

// Converts via double, which represents all types exactly, so it rounds once.
Tensor Converted(const Tensor& tensor, DType dtype) {
  const auto item = static_cast<size_t>(DTypeBits(dtype)) / 8;
  const auto bytes = std::make_shared<std::vector<std::byte>>(
      static_cast<size_t>(tensor.size()) * item);
  std::vector<double> values;
  for (int64_t at = 0; at < tensor.size(); at += kPiece) {
    values.resize(static_cast<size_t>(std::min(kPiece, tensor.size() - at)));
    ReadDoubles(tensor, at, values);
    const auto out = std::span(*bytes).subspan(static_cast<size_t>(at) * item,
                                               values.size() * item);
    if (const auto bad = FromDoubles(values, dtype, out)) {
      throw Error(ErrorCode::kBadInput,
                  "tensor " + Quoted(tensor.name) + ": element " +
                      std::to_string(at + *bad) + " is too large for " +
                      std::string(DTypeName(dtype)));
    }
  }
  Tensor converted = tensor;
  converted.dtype = dtype;
  converted.bytes = *bytes;
  converted.owner = bytes;
  return converted;
}

}  // namespace

Checkpoint ConvertTypes(const Checkpoint& model, DType dtype) {
  std::vector<Tensor> tensors = model.tensors();
  for (Tensor& tensor : tensors) {
    if (IsArithmetic(tensor.dtype) && tensor.dtype != dtype) {
      tensor = Converted(tensor, dtype);
    }
  }
  RestoreTies(model, tensors);
  return Checkpoint(std::move(tensors), model.metadata());
}

}  // namespace rebasin
