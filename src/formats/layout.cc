#include "formats/layout.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "base/checked.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

std::string RangeText(const TensorEntry& entry) {
  return ShapeText(std::array{entry.begin, entry.end});
}

[[noreturn]] void Fail(const std::string& source, const TensorEntry& entry,
                       const std::string& what, const std::string& hint = "") {
  throw Error(ErrorCode::kBadInput,
              source + ": tensor " + Quoted(entry.name) + ": " + what, hint);
}

void CheckNamesDiffer(const std::vector<TensorEntry>& sorted,
                      const std::string& source) {
  const auto same = [](const TensorEntry& a, const TensorEntry& b) {
    return a.name == b.name;
  };
  const auto found = std::adjacent_find(sorted.begin(), sorted.end(), same);
  if (found != sorted.end()) {
    Fail(source, *found, "the name is used twice");
  }
}

void CheckSize(const TensorEntry& entry, const std::string& source) {
  if (!entry.dtype) return;
  const auto bytes = DataBytes(*entry.dtype, entry.shape);
  if (bytes && *bytes == entry.end - entry.begin) return;
  const std::string what = "shape " + ShapeText(entry.shape) + " of " +
                           std::string(DTypeName(*entry.dtype));
  if (!bytes) {
    Fail(source, entry, what + " overflows or is no whole number of bytes");
  }
  Fail(source, entry,
       what + " takes " + std::to_string(*bytes) + " bytes, but data_offsets " +
           RangeText(entry) + " span " +
           std::to_string(entry.end - entry.begin));
}

void CheckFileHolds(const TensorEntry& last, int64_t data_bytes,
                    const std::string& source) {
  if (last.end <= data_bytes) return;
  Fail(source, last,
       "data_offsets " + RangeText(last) + " end beyond the data, which has " +
           std::to_string(data_bytes) + " bytes: the file is " +
           std::to_string(last.end - data_bytes) + " bytes short",
       "it may be a partial download");
}

// In file order, each tensor must start where the previous one ended.
void CheckContiguous(const std::vector<const TensorEntry*>& placed,
                     const std::string& source) {
  int64_t end = 0;
  for (size_t i = 0; i < placed.size(); ++i) {
    const TensorEntry& entry = *placed[i];
    if (entry.begin < end) {
      Fail(source, entry,
           "data_offsets " + RangeText(entry) + " overlap tensor " +
               Quoted(placed[i - 1]->name) + " at " +
               RangeText(*placed[i - 1]));
    }
    if (entry.begin > end) {
      Fail(source, entry,
           "data_offsets " + RangeText(entry) + " leave a hole of " +
               std::to_string(entry.begin - end) + " bytes before them");
    }
    end = entry.end;
  }
}

void CheckKnownTypes(const std::vector<TensorEntry>& tensors,
                     const std::string& source) {
  for (const TensorEntry& entry : tensors) {
    if (entry.dtype) continue;
    throw Error(ErrorCode::kUnsupported,
                source + ": tensor " + Quoted(entry.name) + ": unknown dtype " +
                    Quoted(entry.dtype_name));
  }
}

std::vector<const TensorEntry*> InFileOrder(
    const std::vector<TensorEntry>& tensors) {
  std::vector<const TensorEntry*> placed;
  placed.reserve(tensors.size());
  for (const TensorEntry& entry : tensors) placed.push_back(&entry);
  const auto less = [](const TensorEntry* a, const TensorEntry* b) {
    return std::tie(a->begin, a->end, a->name) <
           std::tie(b->begin, b->end, b->name);
  };
  // Not needed if the order of names is the file order.
  if (!std::is_sorted(placed.begin(), placed.end(), less)) {
    std::sort(placed.begin(), placed.end(), less);
  }
  return placed;
}

// Sorts pointers, which are cheaper to move than entries.
void SortByName(std::vector<TensorEntry>& tensors) {
  const auto less = [](const TensorEntry& a, const TensorEntry& b) {
    return a.name < b.name;
  };
  if (std::is_sorted(tensors.begin(), tensors.end(), less)) return;
  std::vector<TensorEntry*> order;
  order.reserve(tensors.size());
  for (TensorEntry& entry : tensors) order.push_back(&entry);
  std::sort(
      order.begin(), order.end(),
      [&](const TensorEntry* a, const TensorEntry* b) { return less(*a, *b); });
  std::vector<TensorEntry> sorted;
  sorted.reserve(tensors.size());
  for (TensorEntry* entry : order) sorted.push_back(std::move(*entry));
  tensors = std::move(sorted);
}

}  // namespace

std::optional<int64_t> DataBytes(DType dtype, std::span<const int64_t> shape) {
  // Zero dimensions do not hide an overflow of the others, which would affect
  // strides.
  int64_t product = DTypeBits(dtype);
  bool empty = false;
  for (int64_t dim : shape) {
    if (dim < 0) return std::nullopt;
    empty |= dim == 0;
    const auto next = CheckedMul(product, dim == 0 ? 1 : dim);
    if (!next) return std::nullopt;
    product = *next;
  }
  if (empty) return 0;
  if (product % 8 != 0) return std::nullopt;
  return product / 8;
}

void CheckLayout(std::vector<TensorEntry>& tensors, int64_t data_bytes,
                 const std::string& source) {
  SortByName(tensors);
  CheckNamesDiffer(tensors, source);
  for (const TensorEntry& entry : tensors) CheckSize(entry, source);
  const auto placed = InFileOrder(tensors);
  CheckContiguous(placed, source);
  const int64_t end = placed.empty() ? 0 : placed.back()->end;
  if (!placed.empty()) CheckFileHolds(*placed.back(), data_bytes, source);
  if (end < data_bytes) {
    throw Error(ErrorCode::kBadInput,
                source + ": " + std::to_string(data_bytes - end) +
                    " bytes follow the last tensor, which ends at data byte " +
                    std::to_string(end) + " of " + std::to_string(data_bytes));
  }
  CheckKnownTypes(tensors, source);
}

}  // namespace rebasin
