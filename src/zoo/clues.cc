#include "zoo/clues.h"

#include <algorithm>

namespace rebasin::zoo {
namespace {

constexpr int64_t kLargest = 1000000000;

}  // namespace

int64_t Clues::Size(const std::string& name, size_t axis) const {
  const Tensor* tensor = model_.Find(name);
  const bool present = tensor != nullptr && axis < tensor->shape.size();
  return present && tensor->shape[axis] <= kLargest ? tensor->shape[axis] : 0;
}

bool Clues::AreEqual(const std::string& name, const std::string& other) const {
  const Tensor* x = model_.Find(name);
  const Tensor* y = model_.Find(other);
  return x != nullptr && y != nullptr && x->dtype == y->dtype &&
         x->shape == y->shape && std::ranges::equal(x->bytes, y->bytes);
}

int64_t Clues::Count(const std::string& prefix, const std::string& suffix,
                     int64_t first, int64_t step) const {
  const auto name = [&](int64_t n) {
    return std::string(prefix).append(std::to_string(n)).append(suffix);
  };
  int64_t count = 0;
  while (Has(name(first + count * step))) ++count;
  return count;
}

}  // namespace rebasin::zoo
