#include "rebasin/alignment.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include "base/random.h"

namespace rebasin {
namespace {

// FNV-1a with 64 bits. Names and shapes come from the user's own files, so only
// accidental collisions matter.
class Hasher {
 public:
  void Add(std::string_view text) {
    for (unsigned char c : text) AddByte(c);
    AddByte(0);
  }

  std::string Hex() const {
    char buffer[24];
    std::snprintf(buffer, sizeof buffer, "%016llx",
                  static_cast<unsigned long long>(hash_));
    return buffer;
  }

 private:
  void AddByte(unsigned char c) {
    hash_ = (hash_ ^ c) * uint64_t{0x100000001b3};
  }

  uint64_t hash_ = 0xcbf29ce484222325;
};

// Rounds products next to 1 to exactly 1, so that an identity remains one.
double Product(double x, double y) {
  constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
  const double product = x * y;
  return std::abs(product - 1) <= kRounding ? 1 : product;
}

double RandomFactor(ScalingKind kind, Random& random) {
  if (kind == ScalingKind::kSign) return random.Below(2) == 0 ? 1 : -1;
  return std::ldexp(1.0, static_cast<int>(random.Below(5)) - 2);
}

}  // namespace

std::string Fingerprint(const Checkpoint& checkpoint) {
  Hasher hasher;
  for (const Tensor& tensor : checkpoint.tensors()) {
    hasher.Add(tensor.name);
    hasher.Add(ShapeText(tensor.shape));
  }
  return hasher.Hex();
}

Alignment::Alignment(std::shared_ptr<const Symmetry> symmetry)
    : symmetry_(std::move(symmetry)) {
  const auto& groups = symmetry_->groups();
  for (size_t g = 0; g < groups.size(); ++g) {
    const int64_t copies = symmetry_->Copies(static_cast<int>(g));
    auto& all = permutations_.emplace_back(copies * groups[g].size);
    for (int64_t copy = 0; copy < copies; ++copy) {
      const auto begin = all.begin() + copy * groups[g].size;
      std::iota(begin, begin + groups[g].size, 0);
    }
  }
  for (const Scaling& scaling : symmetry_->scalings()) {
    factors_.emplace_back(permutations_[scaling.group].size(), 1.0);
  }
}

Alignment Alignment::Random(std::shared_ptr<const Symmetry> symmetry,
                            uint64_t seed) {
  Alignment alignment(std::move(symmetry));
  class Random random(seed);
  const int groups = static_cast<int>(alignment.permutations_.size());
  for (int g = 0; g < groups; ++g) {
    for (int64_t c = 0; c < alignment.symmetry().Copies(g); ++c) {
      random.Shuffle(alignment.mutable_permutation(g, c));
    }
  }
  for (size_t s = 0; s < alignment.factors_.size(); ++s) {
    const ScalingKind kind = alignment.symmetry().scalings()[s].kind;
    for (double& f : alignment.factors_[s]) f = RandomFactor(kind, random);
  }
  return alignment;
}

std::span<const int32_t> Alignment::permutation(int group, int64_t copy) const {
  const size_t size = symmetry_->groups()[group].size;
  return std::span(permutations_[group]).subspan(copy * size, size);
}

std::span<int32_t> Alignment::mutable_permutation(int group, int64_t copy) {
  const size_t size = symmetry_->groups()[group].size;
  return std::span(permutations_[group]).subspan(copy * size, size);
}

std::span<const double> Alignment::factors(int scaling, int64_t copy) const {
  const int group = symmetry_->scalings()[scaling].group;
  const size_t size = symmetry_->groups()[group].size;
  return std::span(factors_[scaling]).subspan(copy * size, size);
}

std::span<double> Alignment::mutable_factors(int scaling, int64_t copy) {
  const int group = symmetry_->scalings()[scaling].group;
  const size_t size = symmetry_->groups()[group].size;
  return std::span(factors_[scaling]).subspan(copy * size, size);
}

bool Alignment::HasFactors() const {
  return std::any_of(factors_.begin(), factors_.end(), [](const auto& all) {
    return std::any_of(all.begin(), all.end(), [](double f) { return f != 1; });
  });
}

int64_t Alignment::SourceCopy(int group, int64_t copy) const {
  const int parent = symmetry_->groups()[group].parent;
  if (parent == kNoGroup) return copy;
  const int64_t parent_size = symmetry_->groups()[parent].size;
  const int64_t parent_copy = copy / parent_size;
  const int32_t unit = permutation(parent, parent_copy)[copy % parent_size];
  return SourceCopy(parent, parent_copy) * parent_size + unit;
}

bool Alignment::IsIdentity() const {
  for (size_t g = 0; g < permutations_.size(); ++g) {
    if (UnitsMoved(static_cast<int>(g)) > 0) return false;
  }
  return !HasFactors();
}

int64_t Alignment::UnitsMoved(int group) const {
  int64_t moved = 0;
  for (int64_t c = 0; c < symmetry_->Copies(group); ++c) {
    const auto units = permutation(group, c);
    const bool outer_moved = SourceCopy(group, c) != c;
    for (size_t i = 0; i < units.size(); ++i) {
      moved += outer_moved || units[i] != static_cast<int32_t>(i);
    }
  }
  return moved;
}

Alignment Alignment::WithSymmetry(
    std::shared_ptr<const Symmetry> symmetry) const {
  Alignment same(std::move(symmetry));
  assert(same.permutations_.size() == permutations_.size());
  same.permutations_ = permutations_;
  if (same.symmetry_->scalings() == symmetry_->scalings()) {
    same.factors_ = factors_;
  }
  return same;
}

Alignment Alignment::Then(const Alignment& next) const {
  assert(permutations_.size() == next.permutations_.size());
  assert(factors_.size() == next.factors_.size());
  Alignment result(symmetry_);
  for (int g = 0; g < static_cast<int>(permutations_.size()); ++g) {
    for (int64_t c = 0; c < symmetry_->Copies(g); ++c) {
      const auto first = permutation(g, next.SourceCopy(g, c));
      const auto second = next.permutation(g, c);
      const auto out = result.mutable_permutation(g, c);
      for (size_t i = 0; i < out.size(); ++i) out[i] = first[second[i]];
    }
  }
  for (int s = 0; s < static_cast<int>(factors_.size()); ++s) {
    const int g = symmetry_->scalings()[s].group;
    for (int64_t c = 0; c < symmetry_->Copies(g); ++c) {
      const auto first = factors(s, next.SourceCopy(g, c));
      const auto moved = next.permutation(g, c);
      const auto second = next.factors(s, c);
      const auto out = result.mutable_factors(s, c);
      for (size_t i = 0; i < out.size(); ++i) {
        out[i] = Product(first[moved[i]], second[i]);
      }
    }
  }
  return result;
}

Alignment Alignment::Inverse() const {
  Alignment result(symmetry_);
  for (int g = 0; g < static_cast<int>(permutations_.size()); ++g) {
    for (int64_t c = 0; c < symmetry_->Copies(g); ++c) {
      const auto forward = permutation(g, c);
      const auto out = result.mutable_permutation(g, SourceCopy(g, c));
      for (size_t i = 0; i < forward.size(); ++i) {
        out[forward[i]] = static_cast<int32_t>(i);
      }
    }
  }
  for (int s = 0; s < static_cast<int>(factors_.size()); ++s) {
    const int g = symmetry_->scalings()[s].group;
    for (int64_t c = 0; c < symmetry_->Copies(g); ++c) {
      const auto forward = permutation(g, c);
      const auto by = factors(s, c);
      const auto out = result.mutable_factors(s, SourceCopy(g, c));
      for (size_t i = 0; i < by.size(); ++i) out[forward[i]] = 1 / by[i];
    }
  }
  return result;
}

}  // namespace rebasin
