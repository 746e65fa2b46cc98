// A permuted view of a tensor that is read piece by piece. Nothing as large as
// the tensor is allocated.

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

// Returns the tensor with this name in the model that is permuted.
using FindTensor = std::function<const Tensor&(const std::string& name)>;

class PermutedTensor {
 public:
  // Permutes by `alignment`, whose symmetry must fit; null means no
  // permutation. `find` is used for tensors in lists, which may be replaced by
  // another tensor of the list. Throws Error(kUnsupported) if elements smaller
  // than a byte would move, elements that are not floating-point numbers would
  // be multiplied, or tensors of different types would exchange places.
  PermutedTensor(const Tensor& tensor, const Alignment* alignment,
                 const FindTensor& find);
  PermutedTensor(const Checkpoint& model, const std::string& name,
                 const Alignment* alignment);

  // The tensor whose values are read: another one than `tensor` only in lists.
  const Tensor& tensor() const { return tensor_; }
  // False if all elements are those of tensor(), unchanged.
  bool moved() const { return !blocks_.empty(); }

  // Returns the raw elements [begin, begin + count): a part of the tensor if
  // nothing moves, otherwise a part of `scratch`. Elements smaller than a byte
  // can only be read as a whole tensor. Thread-safe if each thread has its own
  // scratch. Throws Error(kBadInput) if a scaled element overflows its type.
  std::span<const std::byte> Read(int64_t begin, int64_t count,
                                  std::vector<std::byte>& scratch) const;

 private:
  // A dimension of a block, and the change of the slot's index with each step
  // along it.
  struct Step {
    int64_t size = 1;
    int64_t stride = 1;
    size_t slot = 0;
    int64_t slot_stride = 0;
  };

  // One block in memory order. The source of a position is the sum of one entry
  // of each slot's table.
  struct Walk {
    int64_t offset = 0;
    // in descending order of stride; the last is a run
    std::vector<Step> steps;
    std::vector<std::vector<int64_t>> tables;
    // The factor for each index of a slot; empty: no scaling.
    std::vector<std::vector<double>> factors;
    bool scales = false;  // some slot has factors
    bool run_is_fixed = false;
  };

  // The index of this tensor in its list, and of the one that replaces it.
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
  size_t item_ = 0;  // bytes of an element
  std::vector<Walk> blocks_;
};

}  // namespace rebasin

#endif  // REBASIN_PERMUTE_PERMUTED_TENSOR_H_
