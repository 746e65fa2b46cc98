#include "repair/edits.h"

#include <memory>

#include "rebasin/error.h"
#include "tensor/convert.h"

namespace rebasin {
namespace {

Tensor WithValues(const Tensor& tensor, const std::vector<double>& values) {
  const auto bytes =
      std::make_shared<std::vector<std::byte>>(tensor.bytes.size());
  if (const auto bad = FromDoubles(values, tensor.dtype, *bytes)) {
    throw Error(ErrorCode::kBadInput, "tensor " + Quoted(tensor.name) +
                                          ": element " + std::to_string(*bad) +
                                          " becomes too large for " +
                                          std::string(DTypeName(tensor.dtype)));
  }
  Tensor changed = tensor;
  changed.bytes = *bytes;
  changed.owner = bytes;
  return changed;
}

}  // namespace

std::vector<double> Elements(const Tensor& tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.size()));
  ReadDoubles(tensor, 0, values);
  return values;
}

const Tensor& WeightIn(const Checkpoint& model, const std::string& name) {
  const Tensor* tensor = model.Find(name);
  if (tensor == nullptr) {
    throw Error(ErrorCode::kMismatch,
                "the graph's weight " + Quoted(name) + " is not in the model");
  }
  if (!IsArithmetic(tensor->dtype)) {
    throw Error(ErrorCode::kUnsupported,
                "weight " + Quoted(name) + " has element type " +
                    std::string(DTypeName(tensor->dtype)) +
                    ", which is not arithmetic");
  }
  return *tensor;
}

std::vector<double>& Edits::Values(const std::string& name) {
  const auto found = values_.find(name);
  if (found != values_.end()) return found->second;
  return values_.emplace(name, Elements(WeightIn(model_, name))).first->second;
}

Checkpoint Edits::Finish() const {
  std::vector<Tensor> tensors = model_.tensors();
  for (Tensor& tensor : tensors) {
    const auto found = values_.find(tensor.name);
    if (found != values_.end()) tensor = WithValues(tensor, found->second);
  }
  return Checkpoint(std::move(tensors), model_.metadata());
}

}  // namespace rebasin
