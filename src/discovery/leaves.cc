#include "discovery/leaves.h"

#include <algorithm>

namespace rebasin {

Leaves::Leaves(Knowledge& knowledge)
    : knowledge_(knowledge), values_(knowledge.graph().values().size()) {
  FindEligible();
  for (const Node& node : knowledge.graph().nodes()) {
    for (ValueId id : node.inputs) Add(id);
    for (ValueId id : node.outputs) Add(id);
  }
}

void Leaves::FindEligible() {
  AxisAlgebra& algebra = knowledge_.algebra();
  std::set<AtomId> carried;
  for (ValueId id : knowledge_.graph().weights()) {
    for (const Expression& axis : knowledge_.AtomsOnAxes(id)) {
      for (const Product& product : axis) {
        for (AtomId atom : product) {
          if (!algebra.IsFixed(atom)) carried.insert(atom);
        }
      }
    }
  }
  eligible_ = carried;
  for (AtomId atom : carried) {
    if (!IsEligible(atom, carried)) eligible_.erase(atom);
    eligible_.erase(algebra.Outer(atom));
  }
  for (ValueId id = 0; id < static_cast<ValueId>(values_.size()); ++id) {
    if (knowledge_.HasAxes(id)) ExcludeInterleaved(id);
  }
}

// An atom in a sum behind a free factor, or in a value of several parts, has no
// contiguous piece of an axis.
void Leaves::ExcludeInterleaved(ValueId value) {
  AxisAlgebra& algebra = knowledge_.algebra();
  const Knowledge::Parts parts = knowledge_.SpecParts(value);
  if (parts.axes.size() > 1) {
    for (const Expression& axis : knowledge_.AtomsOnAxes(parts)) {
      for (const Product& product : axis) {
        for (AtomId atom : product) eligible_.erase(atom);
      }
    }
  }
  for (const Expression& axis : knowledge_.WholeAxes(value)) {
    for (const Product& product : axis) {
      if (!algebra.EndsInSum(product)) continue;
      for (const Product& part : algebra.Multiplied(algebra.LastSum(product))) {
        for (AtomId atom : part) eligible_.erase(atom);
      }
    }
  }
}

bool Leaves::IsEligible(AtomId atom, const std::set<AtomId>& carried) {
  AxisAlgebra& algebra = knowledge_.algebra();
  for (AtomId outer = algebra.Outer(atom); outer != kNoAtom;
       outer = algebra.Outer(outer)) {
    if (!carried.contains(outer)) return false;
  }
  return true;
}

void Leaves::Add(ValueId value) {
  if (value == kNoValue || !knowledge_.HasAxes(value)) return;
  std::vector<Pieces>& axes = values_[static_cast<size_t>(value)];
  if (!axes.empty()) return;
  for (const Expression& axis : knowledge_.WholeAxes(value)) {
    Pieces& pieces = axes.emplace_back();
    int64_t begin = 0;
    for (const Product& product : axis) {
      pieces.push_back(MakePiece(product, begin));
      begin = pieces.back().end;
    }
  }
}

Piece Leaves::MakePiece(const Product& product, int64_t begin) {
  Piece piece{.begin = begin,
              .end = begin + knowledge_.algebra().SizeOf(product),
              .leaves = {}};
  std::set<AtomId> here;
  for (AtomId atom : product) {
    if (!eligible_.contains(atom) || !here.insert(atom).second) continue;
    piece.leaves.push_back({atom, unknowns()});
    atoms_.push_back(atom);
  }
  return piece;
}

int Leaves::Find(ValueId value, size_t axis, int64_t begin, AtomId atom) const {
  if (axis >= Of(value).size()) return -1;
  const Pieces& pieces = Of(value)[axis];
  const auto piece =
      std::lower_bound(pieces.begin(), pieces.end(), begin,
                       [](const Piece& p, int64_t at) { return p.begin < at; });
  if (piece == pieces.end() || piece->begin != begin) return -1;
  for (const Leaf& leaf : piece->leaves) {
    if (leaf.atom == atom) return leaf.unknown;
  }
  return -1;
}

}  // namespace rebasin
