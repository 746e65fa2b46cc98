// A tensor as an alignment presents it, read piece by piece: nothing of the
// size of the tensor is ever allocated.

#ifndef REBASIN_PERMUTE_PERMUTED_TENSOR_H_
#define REBASIN_PERMUTE_PERMUTED_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"
#include "rebasin/tensor.h"
#include "symmetry/layout.h"

namespace rebasin {

// The tensor of this name in the model that is permuted.
using FindTensor = std::function<const Tensor&(const std::string& name)>;

class PermutedTensor {
 public:
  // As `alignment` moves it; null means as it is. Requires that the alignment's
  // symmetry fits. Throws Error(kUnsupported) where elements smaller than a
  // byte would have to move, elements that are no floating-point numbers would
  // have to be multiplied, or tensors of different types would change places.
  // `find`: for tensors in lists, which may take another's place.
  PermutedTensor(const Tensor& tensor, const Alignment* alignment,
                 const FindTensor& find);
  PermutedTensor(const Checkpoint& model, const std::string& name,
                 const Alignment* alignment);

  // With the numbers of the tensor that takes this one's place, which differs
  // in lists only.
  const Tensor& tensor() const { return tensor_; }
  // False if every element stays where and what it is in tensor().
  bool moved() const { return !blocks_.empty(); }

  // The raw elements [begin, begin + count). Points into the tensor where
  // nothing moves, else into `scratch`. For elements smaller than a byte the
  // range must be the whole tensor. Thread-safe with a scratch a thread. Throws
  // Error(kBadInput) if an element is multiplied beyond its type's range.
  std::span<const std::byte> Read(int64_t begin, int64_t count,
                                  std::vector<std::byte>& scratch) const;

 private:
  // A dimension of a block, and how a step along it changes the index of its
  // slot.
  struct Step {
    int64_t size = 1;
    int64_t stride = 1;
    size_t slot = 0;
    int64_t slot_stride = 0;
  };

  // One block, walked in the order of memory. The source of a position is the
  // sum of one entry of each slot's table.
  struct Walk {
    int64_t offset = 0;
    std::vector<Step> steps;  // strides descend; the last is a run
    std::vector<std::vector<int64_t>> tables;
    // What each index of a slot is multiplied by; empty: by nothing.
    std::vector<std::vector<double>> factors;
    bool scales = false;  // some slot has factors
    bool run_is_fixed = false;
  };

  // Which tensor of a list this is, and which takes its place.
  struct Place {
    int group = kNoGroup;
    int64_t target = 0, source = 0;
  };

  struct Position;
  void TakePlaceOf(const Tensor& source);
  Walk MakeWalk(const Block& block, const Alignment& alignment,
                const Place& place) const;
  std::vector<int64_t> TableOf(const Slot& slot, const Alignment* alignment,
                               const Place& place) const;
  bool Moves(const Block& block, const Alignment& alignment,
             const Place& place) const;
  void CheckType(bool scales) const;
  void Scale(const Position& position, int64_t from, int64_t count,
             std::byte* target) const;
  void Gather(const Walk& walk, int64_t begin, int64_t end,
              std::byte* out) const;

  Tensor tensor_;
  size_t item_ = 0;  // bytes an element
  std::vector<Walk> blocks_;
};

}  // namespace rebasin

#endif  // REBASIN_PERMUTE_PERMUTED_TENSOR_H_
