#include "nn/blend.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "permute/permuted_tensor.h"

namespace rebasin::nn {
namespace {

// For lambda 1/2 this is the mean rounded once, as in merging.
void Mix(int64_t size, const float* a, const float* b, float lambda,
         float* __restrict out) {
  const float rest = 1 - lambda;
  for (int64_t i = 0; i < size; ++i) out[i] = rest * a[i] + lambda * b[i];
}

std::vector<int> GroupsOf(const TensorSymmetry* tensor) {
  std::vector<int> groups;
  if (tensor == nullptr) return groups;
  for (const Axis& axis : tensor->axes) {
    for (const Segment& segment : axis.segments) {
      for (const Factor& factor : segment) {
        if (factor.group != kNoGroup) groups.push_back(factor.group);
      }
    }
  }
  return groups;
}

bool SameGroup(const Alignment& x, const Alignment& y, int group) {
  for (int64_t copy = 0; copy < x.symmetry().Copies(group); ++copy) {
    const auto of_x = x.permutation(group, copy);
    const auto of_y = y.permutation(group, copy);
    if (!std::equal(of_x.begin(), of_x.end(), of_y.begin())) return false;
  }
  return true;
}

}  // namespace

Tensor ViewOf(const at::Tensor& numbers, std::string name) {
  const auto* bytes =
      reinterpret_cast<const std::byte*>(numbers.data_ptr<float>());
  return {.name = std::move(name),
          .dtype = DType::kF32,
          .shape = numbers.sizes().vec(),
          .bytes = {bytes, numbers.nbytes()},
          .owner = std::make_shared<at::Tensor>(numbers)};
}

Blend::Blend(const std::shared_ptr<const Graph>& graph, const Checkpoint& a,
             const Checkpoint& b, const Alignment& alignment, ThreadPool& pool)
    : graph_(graph),
      pool_(pool),
      a_(graph, a),
      b_(graph, b),
      permuted_(graph),
      blended_(graph),
      alignment_(alignment) {
  for (size_t i = 0; i < b_.tensors().size(); ++i) {
    const std::string& name = graph->values()[graph->weights()[i]].name;
    of_b_.push_back(ViewOf(b_.tensors()[i], name));
    groups_.push_back(GroupsOf(alignment.symmetry().Find(name)));
  }
  pool_.For(static_cast<int64_t>(of_b_.size()), [&](int64_t i) {
    PermuteWeight(i);
    BlendWeight(i);
  });
}

void Blend::Set(const Alignment& alignment, double lambda) {
  const std::vector<size_t> touched = Touched(alignment);
  alignment_ = alignment;
  pool_.For(static_cast<int64_t>(touched.size()),
            [&](int64_t i) { PermuteWeight(touched[i]); });
  std::vector<size_t> changed = touched;
  if (lambda != lambda_) {
    lambda_ = lambda;
    changed.resize(of_b_.size());
    std::iota(changed.begin(), changed.end(), 0);
  }
  pool_.For(static_cast<int64_t>(changed.size()),
            [&](int64_t i) { BlendWeight(changed[i]); });
}

std::vector<size_t> Blend::Touched(const Alignment& alignment) const {
  std::vector<bool> moved;
  for (size_t g = 0; g < alignment.symmetry().groups().size(); ++g) {
    moved.push_back(!SameGroup(alignment, alignment_, static_cast<int>(g)));
  }
  std::vector<size_t> touched;
  for (size_t i = 0; i < groups_.size(); ++i) {
    if (std::any_of(groups_[i].begin(), groups_[i].end(),
                    [&](int group) { return moved[group]; })) {
      touched.push_back(i);
    }
  }
  return touched;
}

void Blend::PermuteWeight(size_t weight) {
  const Tensor& source = of_b_[weight];
  std::vector<std::byte> scratch;
  const auto find = [&](const std::string& name) -> const Tensor& {
    return *std::ranges::find(of_b_, name, &Tensor::name);
  };
  const auto bytes =
      PermutedTensor(source, &alignment_, find).Read(0, source.size(), scratch);
  std::memcpy(permuted_.tensors()[weight].data_ptr<float>(), bytes.data(),
              bytes.size());
}

void Blend::BlendWeight(size_t weight) {
  Mix(of_b_[weight].size(), a_.tensors()[weight].data_ptr<float>(),
      permuted_.tensors()[weight].data_ptr<float>(),
      static_cast<float>(lambda_),
      blended_.tensors()[weight].data_ptr<float>());
}

}  // namespace rebasin::nn
