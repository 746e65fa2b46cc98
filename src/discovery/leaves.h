// Finds where the atoms that can be scaled occur in the values of a graph.
//
// An atom can be scaled unit by unit only if no atom lies within it, and if
// weights carry it and all the atoms that it lies within.

#ifndef REBASIN_DISCOVERY_LEAVES_H_
#define REBASIN_DISCOVERY_LEAVES_H_

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "discovery/knowledge.h"

namespace rebasin {

// An atom on a piece of an axis. `unknown` is its number, in the order of the
// graph: the unknown is the degree of the value there.
struct Leaf {
  AtomId atom = kNoAtom;
  int unknown = 0;
};

// One product of an axis's sum.
struct Piece {
  int64_t begin = 0, end = 0;
  std::vector<Leaf> leaves;
};

using Pieces = std::vector<Piece>;

class Leaves {
 public:
  explicit Leaves(Knowledge& knowledge);

  // One list for each axis of a value.
  const std::vector<Pieces>& Of(ValueId value) const {
    return values_[static_cast<size_t>(value)];
  }
  // The unknown of the atom in the piece that starts at `begin`, or -1.
  int Find(ValueId value, size_t axis, int64_t begin, AtomId atom) const;

  int unknowns() const { return static_cast<int>(atoms_.size()); }
  AtomId AtomOf(int unknown) const { return atoms_[unknown]; }

 private:
  void FindEligible();
  void ExcludeInterleaved(ValueId value);
  bool IsEligible(AtomId atom, const std::set<AtomId>& carried);
  void Add(ValueId value);
  Piece MakePiece(const Product& product, int64_t begin);

  Knowledge& knowledge_;
  std::set<AtomId> eligible_;
  std::vector<std::vector<Pieces>> values_;
  std::vector<AtomId> atoms_;  // by unknown
};

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_LEAVES_H_
