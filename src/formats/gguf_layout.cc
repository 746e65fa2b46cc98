#include "formats/gguf_layout.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/checked.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

[[noreturn]] void Fail(const std::string& source, const GgufTensor& tensor,
                       const std::string& what, const std::string& hint = "") {
  throw Error(ErrorCode::kBadInput,
              source + ": tensor " + Quoted(tensor.name) + ": " + what, hint);
}

// The size of a tensor; nothing if it overflows or a row is not a whole number
// of blocks.
std::optional<int64_t> BytesOf(const GgufType& type, const Shape& shape) {
  const int64_t row = shape.empty() ? 1 : shape.back();
  if (row % type.block_elements != 0) return std::nullopt;
  Shape factors = shape;
  if (!factors.empty()) factors.back() = row / type.block_elements;
  // Counts 64 bits for each element, and not 0 for axes of size 0: otherwise
  // such a shape could not be written again.
  constexpr int64_t kMaxBits = 64;
  for (int64_t bits = kMaxBits; const int64_t size : shape) {
    const auto next = CheckedMul(bits, std::max<int64_t>(size, 1));
    if (!next) return std::nullopt;
    bits = *next;
  }
  const auto blocks = CheckedProduct(factors);
  return blocks ? CheckedMul(*blocks, type.block_bytes) : std::nullopt;
}

int64_t SizeIn(const PlacedGgufTensor& placed, const std::string& source) {
  const auto bytes = BytesOf(*placed.type, placed.tensor.shape);
  if (bytes) return *bytes;
  std::string what = "shape " + ShapeText(placed.tensor.shape) + " of " +
                     std::string(placed.type->name) + " overflows";
  if (placed.type->block_elements > 1) {
    what += " or has rows that are no multiple of " +
            std::to_string(placed.type->block_elements);
  }
  Fail(source, placed.tensor, what);
}

class Placer {
 public:
  Placer(const GgufHeader& header, std::span<const std::byte> file,
         const std::string& source)
      : alignment_(header.metadata.alignment), source_(source) {
    if (header.data_begin < file.size())
      data_ = file.subspan(header.data_begin);
  }

  void Place(PlacedGgufTensor& placed) {
    const GgufTensor& tensor = placed.tensor;
    const uint64_t begin = tensor.offset;
    if (begin % alignment_ != 0) {
      Fail(source_, tensor,
           "its offset " + std::to_string(begin) + " is no multiple of " +
               std::to_string(alignment_));
    }
    if (known_) CheckBegin(tensor);
    known_ = placed.type != nullptr;
    const uint64_t size =
        known_ ? static_cast<uint64_t>(SizeIn(placed, source_)) : 0;
    CheckInside(tensor, size);
    if (size > 0) placed.bytes = data_.subspan(begin, size);
    end_ = begin + size;
    last_ = &tensor;
  }

  // The padding of the last tensor may be missing.
  void CheckEnd() const {
    if (!known_ || data_.size() <= Aligned(end_)) return;
    throw Error(ErrorCode::kBadInput,
                source_ + ": " + std::to_string(data_.size() - end_) +
                    " bytes follow the last tensor, which ends at data byte " +
                    std::to_string(end_) + " of " +
                    std::to_string(data_.size()));
  }

 private:
  // Does not overflow: ends are inside the file, and alignments have 32 bits.
  uint64_t Aligned(uint64_t at) const {
    return (at + alignment_ - 1) / alignment_ * alignment_;
  }

  void CheckBegin(const GgufTensor& tensor) const {
    const uint64_t expected = Aligned(end_);
    if (tensor.offset == expected) return;
    const std::string offset = "its offset " + std::to_string(tensor.offset);
    if (last_ != nullptr && tensor.offset < expected) {
      Fail(source_, tensor,
           offset + " overlaps tensor " + Quoted(last_->name) +
               ", which ends at " + std::to_string(end_));
    }
    Fail(source_, tensor,
         offset + " leaves a hole of " +
             std::to_string(tensor.offset - expected) + " bytes before it");
  }

  void CheckInside(const GgufTensor& tensor, uint64_t size) const {
    const uint64_t total = data_.size();
    // The padding before a last tensor without elements may be missing.
    if (size == 0 && tensor.offset <= Aligned(total)) return;
    if (tensor.offset <= total && size <= total - tensor.offset) return;
    Fail(source_, tensor,
         "it takes " + std::to_string(size) + " bytes from data byte " +
             std::to_string(tensor.offset) + " on, but the data has " +
             std::to_string(total),
         "it may be a partial download");
  }

  uint64_t alignment_;
  const std::string& source_;
  std::span<const std::byte> data_;
  uint64_t end_ = 0;   // of the previous tensor
  bool known_ = true;  // whether end_ is known
  const GgufTensor* last_ = nullptr;
};

void CheckNamesDiffer(const std::vector<GgufTensor>& tensors,
                      const std::string& source) {
  std::vector<const GgufTensor*> sorted;
  for (const GgufTensor& tensor : tensors) sorted.push_back(&tensor);
  std::sort(sorted.begin(), sorted.end(),
            [](const auto* a, const auto* b) { return a->name < b->name; });
  const auto twice = std::adjacent_find(
      sorted.begin(), sorted.end(),
      [](const auto* a, const auto* b) { return a->name == b->name; });
  if (twice != sorted.end()) Fail(source, **twice, "the name is used twice");
}

}  // namespace

std::vector<PlacedGgufTensor> PlaceGgufTensors(GgufHeader& header,
                                               std::span<const std::byte> file,
                                               const std::string& source) {
  CheckNamesDiffer(header.tensors, source);
  std::vector<PlacedGgufTensor> placed;
  placed.reserve(header.tensors.size());
  for (GgufTensor& tensor : header.tensors) {
    const GgufType* type = FindGgufType(tensor.type);
    placed.push_back({.tensor = std::move(tensor), .type = type, .bytes = {}});
  }
  // Tensors without elements have the offset of the next tensor; keep file
  // order.
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) {
                     return a.tensor.offset < b.tensor.offset;
                   });
  Placer placer(header, file, source);
  for (PlacedGgufTensor& tensor : placed) placer.Place(tensor);
  placer.CheckEnd();
  return placed;
}

}  // namespace rebasin
