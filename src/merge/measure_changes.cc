// Measures how far two models are from their base.

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "permute/permuted_tensor.h"
#include "rebasin/merge.h"
#include "tensor/convert.h"

namespace rebasin {
namespace {

// Sums are taken over parts of a fixed size, in order, so that the total does
// not depend on the number of threads.
constexpr int64_t kPart = int64_t{1} << 18;

// Squared norms of the changes and the base, and the inner product of the
// changes.
struct Sums {
  double ours = 0, theirs = 0, base = 0, product = 0;

  void operator+=(const Sums& other) {
    ours += other.ours;
    theirs += other.theirs;
    base += other.base;
    product += other.product;
  }
};

struct Part {
  size_t tensor = 0;
  int64_t begin = 0, count = 0;
};

bool IsMatrix(const Tensor& tensor) {
  return IsArithmetic(tensor.dtype) &&
         std::count_if(tensor.shape.begin(), tensor.shape.end(),
                       [](int64_t dim) { return dim > 1; }) >= 2;
}

// All matrices; if there are none, all arithmetic tensors.
std::vector<size_t> MeasuredTensors(const Checkpoint& model) {
  std::vector<size_t> matrices, all;
  for (size_t t = 0; t < model.tensors().size(); ++t) {
    const Tensor& tensor = model.tensors()[t];
    if (IsMatrix(tensor)) matrices.push_back(t);
    if (IsArithmetic(tensor.dtype)) all.push_back(t);
  }
  return matrices.empty() ? all : matrices;
}

std::vector<Part> PartsOf(const Checkpoint& model) {
  std::vector<Part> parts;
  for (const size_t t : MeasuredTensors(model)) {
    const int64_t size = model.tensors()[t].size();
    for (int64_t at = 0; at < size; at += kPart) {
      parts.push_back({t, at, std::min(kPart, size - at)});
    }
  }
  return parts;
}

// A range of one input as doubles.
std::vector<double> ReadPart(const MergeInput& input, const std::string& name,
                             const Part& part) {
  std::vector<std::byte> scratch;
  const PermutedTensor tensor(*input.model, name, input.alignment);
  std::vector<double> values(static_cast<size_t>(part.count));
  ToDoubles(tensor.tensor().dtype, tensor.Read(part.begin, part.count, scratch),
            values);
  return values;
}

Sums MeasurePart(const MergeInput& ours, const MergeInput& theirs,
                 const MergeInput& base, const Part& part) {
  const std::string& name = ours.model->tensors()[part.tensor].name;
  const auto o = ReadPart(ours, name, part), t = ReadPart(theirs, name, part),
             b = ReadPart(base, name, part);
  Sums sums;
  for (size_t i = 0; i < b.size(); ++i) {
    const double x = o[i] - b[i], y = t[i] - b[i];
    sums += {x * x, y * y, b[i] * b[i], x * y};
  }
  return sums;
}

double Ratio(double change, double base) {
  return change == 0 ? 0 : std::sqrt(change) / std::sqrt(base);
}

}  // namespace

ThreeWayEvidence MeasureChanges(const MergeInput& ours,
                                const MergeInput& theirs,
                                const MergeInput& base, const Run& run) {
  const std::vector<Part> parts = PartsOf(*ours.model);
  std::vector<Sums> sums(parts.size());
  ThreadPool pool(run);
  pool.For(static_cast<int64_t>(parts.size()), [&](int64_t p) {
    const auto index = static_cast<size_t>(p);
    sums[index] = MeasurePart(ours, theirs, base, parts[index]);
  });
  Sums all;
  for (const Sums& part : sums) all += part;
  return {.ours = Ratio(all.ours, all.base),
          .theirs = Ratio(all.theirs, all.base),
          .cosine = all.product == 0 ? 0
                                     : all.product / (std::sqrt(all.ours) *
                                                      std::sqrt(all.theirs))};
}

}  // namespace rebasin
