#include "formats/torch_storages.h"

#include <utility>

#include "base/checked.h"
#include "formats/rearrange.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// Tensors that are not row-major are copied. A few may share a storage, but a
// thousand views of one would make a small file large.
constexpr size_t kMaxCopies = 4;
// Tensors may share storages: a layer used 24 times has 24 names. Other formats
// store each of them, and a small file must not become a large one.
constexpr size_t kMaxShared = 32;
constexpr size_t kSharedAnyway = size_t{1} << 20;

// Strides of axes of size one do not matter.
bool IsRowMajor(const TorchView& view) {
  const Shape strides = RowMajorStrides(view.shape);
  for (size_t axis = 0; axis < view.shape.size(); ++axis) {
    if (view.shape[axis] > 1 && view.strides[axis] != strides[axis]) {
      return false;
    }
  }
  return true;
}

StorageBytes Owned(std::vector<std::byte> bytes) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return {*owner, owner};
}

}  // namespace

TensorMaker::TensorMaker(FindStorage find, bool big_endian, size_t file_bytes,
                         const std::string& source)
    : find_(std::move(find)),
      big_endian_(big_endian),
      copies_left_(kMaxCopies * file_bytes),
      source_(source) {}

void TensorMaker::CountCopy(size_t bytes) {
  if (bytes > copies_left_) {
    throw Error(ErrorCode::kLimit,
                source_ + ": its tensors are views that take more than " +
                    std::to_string(kMaxCopies) + " times the file");
  }
  copies_left_ -= bytes;
}

const StorageBytes& TensorMaker::Find(const TorchStorage& storage) {
  const auto found = known_.find(storage.key);
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorCode::kBadInput,
                source_ + ": storage " + Quoted(storage.key) + " " + what);
  };
  if (found != known_.end()) {
    const TorchStorage& first = found->second.storage;
    if (first.dtype != storage.dtype || first.size != storage.size) {
      fail("has two types or sizes");
    }
    return found->second.bytes;
  }
  StorageBytes bytes = find_(storage);
  const auto expected = CheckedMul(storage.size, storage.item_bytes);
  if (expected != static_cast<int64_t>(bytes.bytes.size())) {
    fail("of " + std::to_string(storage.size) + " elements of " +
         std::string(DTypeName(*storage.dtype)) + " has " +
         std::to_string(bytes.bytes.size()) + " bytes");
  }
  if (big_endian_) {
    CountCopy(bytes.bytes.size());
    std::vector<std::byte> swapped(bytes.bytes.begin(), bytes.bytes.end());
    SwapByteOrder(*storage.dtype, swapped);
    bytes = Owned(std::move(swapped));
  }
  return known_.emplace(storage.key, Known{storage, std::move(bytes)})
      .first->second.bytes;
}

void TensorMaker::CheckShared(std::span<const Tensor> tensors) const {
  size_t stored = 0, viewed = 0;
  for (const auto& [key, known] : known_) stored += known.bytes.bytes.size();
  // The sum cannot overflow: no tensor has more bytes than its storage.
  for (const Tensor& tensor : tensors) viewed += tensor.bytes.size();
  if (viewed <= kMaxShared * stored + kSharedAnyway) return;
  throw Error(ErrorCode::kLimit,
              source_ + ": its tensors have " + std::to_string(viewed) +
                  " bytes, but are views of " + std::to_string(stored) +
                  " stored bytes; at most " + std::to_string(kMaxShared) +
                  " times as many are read",
              "save copies: {name: tensor.clone() for name, tensor in ...}");
}

Tensor TensorMaker::Make(TorchView view) {
  const StorageBytes& storage = Find(view.storage);
  const size_t item = static_cast<size_t>(view.storage.item_bytes);
  Tensor tensor{.name = std::move(view.name),
                .dtype = *view.storage.dtype,
                .shape = view.shape,
                .bytes = {},
                .owner = storage.owner};
  const size_t size = static_cast<size_t>(tensor.size()) * item;
  if (size == 0) return tensor;
  const auto all =
      storage.bytes.subspan(static_cast<size_t>(view.offset) * item);
  if (IsRowMajor(view)) {
    tensor.bytes = all.first(size);
    return tensor;
  }
  CountCopy(size);
  std::vector<std::byte> copy(size);
  CopyStrided(all, view.shape, view.strides, item, copy);
  StorageBytes owned = Owned(std::move(copy));
  tensor.bytes = owned.bytes;
  tensor.owner = std::move(owned.owner);
  return tensor;
}

std::vector<Tensor> TensorMaker::MakeAll(std::vector<TorchView> views) {
  std::vector<Tensor> tensors;
  tensors.reserve(views.size());
  for (TorchView& view : views) tensors.push_back(Make(std::move(view)));
  CheckShared(tensors);
  return tensors;
}

}  // namespace rebasin
