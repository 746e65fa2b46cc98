#include "rebasin/alignment.h"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <numeric>

#include "base/random.h"

namespace rebasin {
namespace {

// FNV-1a over 64 bits: names and shapes come from the user's own files, so
// that accidents matter, not attacks.
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
  return true;
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

Alignment Alignment::For(std::shared_ptr<const Symmetry> symmetry) const {
  Alignment same(std::move(symmetry));
  assert(same.permutations_.size() == permutations_.size());
  same.permutations_ = permutations_;
  return same;
}

Alignment Alignment::Then(const Alignment& next) const {
  assert(permutations_.size() == next.permutations_.size());
  Alignment result(symmetry_);
  for (int g = 0; g < static_cast<int>(permutations_.size()); ++g) {
    for (int64_t c = 0; c < symmetry_->Copies(g); ++c) {
      const auto first = permutation(g, next.SourceCopy(g, c));
      const auto second = next.permutation(g, c);
      const auto out = result.mutable_permutation(g, c);
      for (size_t i = 0; i < out.size(); ++i) out[i] = first[second[i]];
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
  return result;
}

}  // namespace rebasin
