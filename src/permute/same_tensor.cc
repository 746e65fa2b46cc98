#include "permute/same_tensor.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace rebasin {
namespace {

constexpr int64_t kCompareElements = int64_t{1} << 18;

bool SameBytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

bool SamePiece(const PermutedTensor& a, const PermutedTensor& b,
               int64_t piece) {
  std::vector<std::byte> scratch_a, scratch_b;
  const int64_t begin = piece * kCompareElements;
  const int64_t count = std::min(kCompareElements, a.tensor().size() - begin);
  return SameBytes(a.Read(begin, count, scratch_a),
                   b.Read(begin, count, scratch_b));
}

}  // namespace

bool SameTensor(const PermutedTensor& a, const PermutedTensor& b,
                ThreadPool& pool) {
  if (a.tensor().dtype != b.tensor().dtype ||
      a.tensor().shape != b.tensor().shape) {
    return false;
  }
  if (!a.moved() && !b.moved() && a.tensor().bytes.size() < kCompareElements) {
    return SameBytes(a.tensor().bytes, b.tensor().bytes);
  }
  const int64_t pieces =
      (a.tensor().size() + kCompareElements - 1) / kCompareElements;
  std::atomic<bool> same = true;
  pool.For(pieces, [&](int64_t p) {
    if (same && !SamePiece(a, b, p)) same = false;
  });
  return same;
}

}  // namespace rebasin
