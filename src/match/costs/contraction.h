// The contracted side of a term: all slots except the one whose units are
// matched.

#ifndef REBASIN_MATCH_COSTS_CONTRACTION_H_
#define REBASIN_MATCH_COSTS_CONTRACTION_H_

#include <cstdint>
#include <span>
#include <vector>

#include "symmetry/layout.h"

namespace rebasin {

// One contracted slot: the offsets in A and B of each of its positions, or of
// the positions that matter. The offset in B is that of the unit at this
// position.
struct Contraction {
  std::vector<int64_t> a, b;
  // If not empty: the offsets in B of an earlier product. Then the difference
  // B[new] - B[old] is accumulated, which corrects that product.
  std::vector<int64_t> b_before = {};
};

// The number of contracted positions whose offsets are in memory at a time.
inline constexpr int64_t kMaxContracted = int64_t{1} << 18;

// The combined index over all contracted slots, in memory order, produced in
// pieces.
class ContractionIndex {
 public:
  // `contractions` has one entry for every slot of the block except `slot`, in
  // order, and must outlive the index.
  ContractionIndex(const Block& block, int slot,
                   std::span<const Contraction> contractions);

  int64_t size() const { return size_; }
  // Whether a difference to an earlier product is accumulated.
  bool difference() const { return difference_; }
  // The number of consecutive positions, starting at multiples of it, that are
  // consecutive in memory in both models.
  int64_t run() const;

  // Fills the tables below with the positions [begin, begin + count).
  void Fill(int64_t begin, int64_t count);

  std::vector<int64_t> a, b;
  std::vector<int64_t> before;  // empty unless a difference is requested

 private:
  struct Offset {
    int64_t a = 0, b = 0, before = 0;

    void operator+=(const Offset& other) {
      a += other.a;
      b += other.b;
      before += other.before;
    }
  };

  size_t FillRun(std::vector<size_t>& at, size_t k);
  Offset At(size_t slot, size_t i) const;

  std::vector<const Contraction*> slots_;
  int64_t size_ = 1;
  bool difference_ = false;
};

// The smallest stride of a slot's dimensions; it orders slots by memory.
int64_t SmallestStride(const Slot& slot);

}  // namespace rebasin

#endif  // REBASIN_MATCH_COSTS_CONTRACTION_H_
