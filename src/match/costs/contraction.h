// The contracted side of a term: everything but the slot whose units are
// matched.

#ifndef REBASIN_MATCH_COSTS_CONTRACTION_H_
#define REBASIN_MATCH_COSTS_CONTRACTION_H_

#include <cstdint>
#include <span>
#include <vector>

#include "symmetry/layout.h"

namespace rebasin {

// One contracted slot: for each of its positions (or those that matter), the
// offset in A and that of the unit of B which stands there.
struct Contraction {
  std::vector<int64_t> a, b;
  // If not empty: the offsets in B that an earlier product used. Then the
  // difference B[new] - B[old] is accumulated, which corrects that product.
  std::vector<int64_t> b_before = {};
};

// Offsets of so many contracted positions are held at a time.
inline constexpr int64_t kMostContracted = int64_t{1} << 18;

// The combined index over all contracted slots, outermost in memory first, so
// that it runs through memory; produced piece by piece.
class ContractionIndex {
 public:
  // `contractions` holds one entry for every slot of the block but `slot`, in
  // their order, and must outlive the index.
  ContractionIndex(const Block& block, int slot,
                   std::span<const Contraction> contractions);

  int64_t size() const { return size_; }
  // So many consecutive positions, from each multiple of it on, lie side by
  // side in memory, in both models.
  int64_t run() const;

  // Fills the tables below with the positions [begin, begin + count).
  void Fill(int64_t begin, int64_t count);

  std::vector<int64_t> a, b;
  std::vector<int64_t> before;  // empty unless a difference is asked for

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

// The smallest stride among a slot's dimensions: how far in it lies.
int64_t SmallestStride(const Slot& slot);

}  // namespace rebasin

#endif  // REBASIN_MATCH_COSTS_CONTRACTION_H_
