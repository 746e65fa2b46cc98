#include "discovery/alike_atoms.h"

#include <set>

namespace rebasin {
namespace {

class Correspondence {
 public:
  Correspondence(const OrderedBranches& list, Knowledge& knowledge)
      : list_(list), knowledge_(knowledge), algebra_(knowledge.algebra()) {}

  std::optional<std::map<AtomId, AtomId>> Find() {
    for (int64_t b = 1; b < list_.branches->size; ++b) {
      if (!PairWithFirst(b)) return std::nullopt;
    }
    if (!AreNested() || !AreAlone()) return std::nullopt;
    return std::move(first_of_);
  }

 private:
  bool PairWithFirst(int64_t branch) {
    std::map<AtomId, AtomId> there, back;
    for (const std::vector<ValueId>& weights : list_.branches->weights) {
      const auto first = knowledge_.SpecParts(weights[0]);
      const auto other = knowledge_.SpecParts(weights[branch]);
      if (first.axes.size() != 1 || other.axes.size() != 1 ||
          !PairAxes(first.axes[0], other.axes[0], there, back)) {
        return false;
      }
    }
    for (const auto& [first, other] : there) {
      if (first == other) {
        shared_.insert(first);
        continue;
      }
      own_.insert(first);
      // Fails also if two branches other than the first share an atom.
      if (!first_of_.emplace(other, first).second) return false;
    }
    return true;
  }

  bool PairAxes(const Axes& first, const Axes& other,
                std::map<AtomId, AtomId>& there,
                std::map<AtomId, AtomId>& back) {
    if (first.size() != other.size()) return false;
    for (size_t k = 0; k < first.size(); ++k) {
      if (first[k].size() != other[k].size()) return false;
      for (size_t p = 0; p < first[k].size(); ++p) {
        if (!PairProducts(first[k][p], other[k][p], there, back)) return false;
      }
    }
    return true;
  }

  bool PairProducts(const Product& first, const Product& other,
                    std::map<AtomId, AtomId>& there,
                    std::map<AtomId, AtomId>& back) {
    if (first.size() != other.size() || algebra_.EndsInSum(first) ||
        algebra_.EndsInSum(other)) {
      return false;
    }
    for (size_t f = 0; f < first.size(); ++f) {
      const AtomId x = first[f], y = other[f];
      const bool fixed = algebra_.IsFixed(x);
      if (algebra_.size(x) != algebra_.size(y) ||
          fixed != algebra_.IsFixed(y) || x == list_.order ||
          y == list_.order) {
        return false;
      }
      if (fixed) continue;
      if (there.emplace(x, y).first->second != y) return false;
      if (back.emplace(y, x).first->second != x) return false;
    }
    return true;
  }

  // An atom of a branch may lie only within atoms of the same branch, and its
  // nesting must be the same in all branches.
  bool AreNested() {
    for (AtomId atom : own_) {
      if (shared_.contains(atom)) return false;
      const AtomId outer = algebra_.Outer(atom);
      if (outer != kNoAtom && !own_.contains(outer)) return false;
    }
    for (const auto& [other, first] : first_of_) {
      if (own_.contains(other) || shared_.contains(other)) return false;
      const AtomId outer = algebra_.Outer(other);
      const AtomId expected = algebra_.Outer(first);
      const auto found = first_of_.find(outer);
      const AtomId corresponding =
          found == first_of_.end() ? outer : found->second;
      if (corresponding != expected) return false;
    }
    return true;
  }

  // No other weight may have an atom of a single branch.
  bool AreAlone() {
    std::set<ValueId> members;
    for (const std::vector<ValueId>& weights : list_.branches->weights) {
      members.insert(weights.begin(), weights.end());
    }
    for (ValueId id : knowledge_.graph().weights()) {
      if (members.contains(id)) continue;
      for (const Expression& axis : knowledge_.AtomsOnAxes(id)) {
        for (const Product& product : axis) {
          for (AtomId atom : product) {
            if (own_.contains(atom) || first_of_.contains(atom)) return false;
          }
        }
      }
    }
    return true;
  }

  const OrderedBranches& list_;
  Knowledge& knowledge_;
  AxisAlgebra& algebra_;
  std::set<AtomId> own_, shared_;  // of the first branch
  std::map<AtomId, AtomId> first_of_;
};

}  // namespace

std::optional<std::map<AtomId, AtomId>> CorrespondingAtoms(
    const OrderedBranches& list, Knowledge& knowledge) {
  return Correspondence(list, knowledge).Find();
}

}  // namespace rebasin
