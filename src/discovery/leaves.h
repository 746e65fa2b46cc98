// Where the atoms that may be scaled stand in the values of a graph.
//
// Only an atom that nothing lies within can be scaled unit by unit, and only
// one that weights carry, with everything that it lies within.

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

// A leaf on a piece of an axis. `unknown` numbers all of them in the order of
// the graph: it stands for the power with which the value scales there.
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
  // The unknown of the atom in the piece that begins there; -1: none.
  int Find(ValueId value, size_t axis, int64_t begin, AtomId atom) const;

  int unknowns() const { return static_cast<int>(atoms_.size()); }
  AtomId AtomOf(int unknown) const { return atoms_[unknown]; }

 private:
  void FindEligible();
  void LeaveOutInterleaved(ValueId value);
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
