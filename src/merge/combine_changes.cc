#include "merge/combine_changes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include "merge/finite.h"
#include "tensor/convert.h"

namespace rebasin {
namespace {

// Elements are processed in pieces that stay in the first-level cache.
constexpr size_t kPiece = 1024;
using Piece = std::array<double, kPiece>;

// A range of one input, read as doubles in pieces.
class Input {
 public:
  Input(const PermutedTensor& input, const char* model, int64_t begin,
        int64_t count)
      : tensor_(input.tensor()),
        model_(model),
        bytes_(input.Read(begin, count, scratch_)) {}
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  std::span<const double> Load(size_t at, size_t n, bool allow_nonfinite) {
    const size_t item = static_cast<size_t>(DTypeBits(tensor_.dtype)) / 8;
    const auto values = std::span(values_).first(n);
    ToDoubles(tensor_.dtype, bytes_.subspan(at * item, n * item), values);
    if (!allow_nonfinite && !AllFinite(values)) FailNonFinite(tensor_, model_);
    return values;
  }

 private:
  const Tensor& tensor_;
  const char* model_;
  std::vector<std::byte> scratch_;
  std::span<const std::byte> bytes_;
  Piece values_;
};

// Comparing avoids rounding: (t - b) + b is not t if b is much larger. Bits are
// compared, because 0 == -0 and NaN != NaN.
void AddChanges(std::span<const double> ours, std::span<const double> theirs,
                std::span<const double> base, std::span<double> sum) {
  const auto bits = [](double value) { return std::bit_cast<uint64_t>(value); };
  for (size_t i = 0; i < sum.size(); ++i) {
    const double o = ours[i], t = theirs[i], b = base[i];
    const double both = o + (t - b);
    sum[i] = bits(o) == bits(b) ? t : bits(t) == bits(b) ? o : both;
  }
}

void KeepAboveSmaller(std::span<const double> ours,
                      std::span<const double> theirs, std::span<double> sum) {
  for (size_t i = 0; i < sum.size(); ++i) {
    sum[i] = std::max(sum[i], std::min(ours[i], theirs[i]));
  }
}

}  // namespace

void CombineChanges(const ThreeTensors& inputs, int64_t begin, int64_t count,
                    const ChangesOptions& options, std::span<std::byte> out) {
  Input ours(inputs.ours, "model 1", begin, count);
  Input theirs(inputs.theirs, "model 2", begin, count);
  Input base(inputs.base, "the base", begin, count);
  const Tensor& tensor = inputs.ours.tensor();
  const size_t item = static_cast<size_t>(DTypeBits(tensor.dtype)) / 8;
  Piece piece;
  for (size_t at = 0; at < static_cast<size_t>(count); at += kPiece) {
    const size_t n = std::min(kPiece, static_cast<size_t>(count) - at);
    const auto sum = std::span(piece).first(n);
    const auto o = ours.Load(at, n, options.allow_nonfinite);
    const auto t = theirs.Load(at, n, options.allow_nonfinite);
    AddChanges(o, t, base.Load(at, n, options.allow_nonfinite), sum);
    if (options.variance) KeepAboveSmaller(o, t, sum);
    const auto bad =
        FromDoubles(sum, tensor.dtype, out.subspan(at * item, n * item));
    if (!bad) continue;
    FailOverflow(tensor, begin + static_cast<int64_t>(at) + *bad,
                 sum[static_cast<size_t>(*bad)]);
  }
}

}  // namespace rebasin
