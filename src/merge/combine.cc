#include "merge/combine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "merge/combine_two.h"
#include "merge/finite.h"
#include "rebasin/error.h"
#include "tensor/convert.h"
#include "tensor/moments.h"

namespace rebasin {
namespace {

// Elements are processed in pieces that stay in the first-level cache.
constexpr size_t kPiece = 1024;
using Piece = std::array<double, kPiece>;

// Inner products are summed over parts of a fixed size, in order, so that the
// total does not depend on the number of threads.
constexpr int64_t kPart = int64_t{1} << 18;

// With a larger cosine the circle is numerically a line.
constexpr double kParallel = 0.9995;

size_t ItemBytes(const PermutedTensor& input) {
  return static_cast<size_t>(DTypeBits(input.tensor().dtype)) / 8;
}

// sum = (first ? 0 : sum) + weight * values. The first term is stored, not
// added, so that -0 stays -0.
void Accumulate(double weight, bool first, std::span<const double> values,
                std::span<double> sum) {
  if (first) {
    for (size_t i = 0; i < values.size(); ++i) sum[i] = weight * values[i];
  } else {
    for (size_t i = 0; i < values.size(); ++i) sum[i] += weight * values[i];
  }
}

class Combiner {
 public:
  Combiner(std::span<const PermutedTensor> inputs,
           std::span<const double> weights, const CombineOptions& options)
      : inputs_(inputs), weights_(weights), options_(options) {}

  void Run(int64_t begin, int64_t count, std::span<std::byte> out) {
    std::vector<std::vector<std::byte>> scratch(inputs_.size());
    std::vector<std::span<const std::byte>> bytes;
    for (size_t m = 0; m < inputs_.size(); ++m) {
      bytes.push_back(inputs_[m].Read(begin, count, scratch[m]));
    }
    if (IsPlainPair() &&
        CombineTwo(bytes[0], bytes[1], {weights_[0], weights_[1]}, out)) {
      return;
    }
    const size_t item = ItemBytes(inputs_[0]);
    for (size_t at = 0; at < static_cast<size_t>(count); at += kPiece) {
      const size_t n = std::min(kPiece, static_cast<size_t>(count) - at);
      SumPiece(bytes, at * item, n);
      Store(begin + static_cast<int64_t>(at), n,
            out.subspan(at * item, n * item));
    }
  }

 private:
  bool IsPlainPair() const {
    return inputs_.size() == 2 && weights_[0] != 0 && weights_[1] != 0 &&
           inputs_[0].tensor().dtype == DType::kF32;
  }

  void SumPiece(std::span<const std::span<const std::byte>> bytes,
                size_t offset, size_t n) {
    const size_t item = ItemBytes(inputs_[0]);
    const auto values = std::span(values_).first(n);
    bool first = true;
    for (size_t m = 0; m < bytes.size(); ++m) {
      ToDoubles(inputs_[m].tensor().dtype, bytes[m].subspan(offset, n * item),
                values);
      if (!options_.allow_nonfinite && !AllFinite(values)) {
        FailNonFinite(inputs_[m].tensor(), "model " + std::to_string(m + 1));
      }
      if (weights_[m] == 0) continue;  // the other terms stay bitwise the same
      Accumulate(weights_[m], first, values, sum_);
      first = false;
    }
    if (first) std::fill_n(sum_.begin(), n, 0.0);
  }

  void Store(int64_t index, size_t n, std::span<std::byte> out) {
    const Tensor& tensor = inputs_[0].tensor();
    const auto sum = std::span<const double>(sum_).first(n);
    if (const auto at = FromDoubles(sum, tensor.dtype, out)) {
      FailOverflow(tensor, index + *at, sum[static_cast<size_t>(*at)]);
    }
  }

  std::span<const PermutedTensor> inputs_;
  std::span<const double> weights_;
  const CombineOptions& options_;
  Piece values_, sum_;
};

Moments MeasurePiece(std::span<const double> a, std::span<const double> b) {
  Moments sum;
  for (size_t i = 0; i < a.size(); ++i) {
    sum += {a[i] * a[i], b[i] * b[i], a[i] * b[i]};
  }
  return sum;
}

Moments MeasurePart(std::span<const PermutedTensor> inputs, int64_t begin,
                    int64_t count) {
  std::vector<std::byte> scratch_a, scratch_b;
  const auto a = inputs[0].Read(begin, count, scratch_a);
  const auto b = inputs[1].Read(begin, count, scratch_b);
  const DType dtype = inputs[0].tensor().dtype;
  const size_t item = ItemBytes(inputs[0]);
  Piece x, y;
  Moments sum;
  for (size_t at = 0; at < static_cast<size_t>(count); at += kPiece) {
    const size_t n = std::min(kPiece, static_cast<size_t>(count) - at);
    const auto xs = std::span(x).first(n), ys = std::span(y).first(n);
    ToDoubles(dtype, a.subspan(at * item, n * item), xs);
    ToDoubles(dtype, b.subspan(at * item, n * item), ys);
    sum += MeasurePiece(xs, ys);
  }
  return sum;
}

}  // namespace

void Combine(std::span<const PermutedTensor> inputs,
             std::span<const double> weights, int64_t begin, int64_t count,
             const CombineOptions& options, std::span<std::byte> out) {
  Combiner(inputs, weights, options).Run(begin, count, out);
}

std::vector<double> SlerpWeights(std::span<const PermutedTensor> inputs,
                                 double share, ThreadPool& pool) {
  const int64_t size = inputs[0].tensor().size();
  std::vector<Moments> parts(static_cast<size_t>((size + kPart - 1) / kPart));
  pool.For(static_cast<int64_t>(parts.size()), [&](int64_t p) {
    const int64_t begin = p * kPart;
    parts[static_cast<size_t>(p)] =
        MeasurePart(inputs, begin, std::min(kPart, size - begin));
  });
  Moments sum;
  for (const Moments& part : parts) sum += part;
  const double cosine = sum.ab / (std::sqrt(sum.aa) * std::sqrt(sum.bb));
  // Opposite points are joined by infinitely many arcs of the same length. A
  // single number has a sign but no direction.
  if (size > 1 && cosine < -kParallel) {
    throw Error(ErrorCode::kMismatch,
                "tensor " + Quoted(inputs[0].tensor().name) +
                    ": the models are opposite to each other there (cosine " +
                    std::to_string(cosine) + "), so no great circle is defined",
                "merge with --interpolation linear");
  }
  // Written so that NaN, from norms that are zero or overflow, also returns
  // here.
  if (!(std::abs(cosine) <= kParallel)) return {1 - share, share};
  const double angle = std::acos(cosine), sine = std::sin(angle);
  return {std::sin((1 - share) * angle) / sine, std::sin(share * angle) / sine};
}

}  // namespace rebasin
