// The algebra of axes: what discovery knows about the axes of a graph's values.
//
// An axis is an index set: a concatenation (sum) of flattenings (products) of
// atoms. An atom stands for a permutation that is to be found out about:
//
//   free   any permutation of its indices, independent of all other atoms
//   fixed  the identity
//   bound  equal to an expression over other atoms
//
// All that ever happens to an atom is that it is fixed or bound, so whatever
// order the operators of a graph are visited in, knowledge only grows, and the
// process ends.
//
// Atoms may claim to lie within another atom: to have one permutation for each
// of its indices (a wreath product). Claims are made generously where an axis
// is split, and cost nothing: before anything is believed, Discover() checks
// each against all values and operators, and withdraws what does not hold.
//
// An atom within a *fixed* atom has one independent permutation for each of
// its indices: its instances. Choosing one index of the fixed axis (taking q
// out of a fused qkv) chooses an instance.

#ifndef REBASIN_DISCOVERY_ALGEBRA_H_
#define REBASIN_DISCOVERY_ALGEBRA_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace rebasin {

using AtomId = int32_t;
inline constexpr AtomId kNoAtom = -1;

// Row-major, the outermost first. Empty: an axis of size 1. Where a sum stands
// behind something free (heads*(q+k)), the last factor is an atom that is bound
// to the sum; everywhere else sums are written out.
using Product = std::vector<AtomId>;
// A concatenation. Never empty.
using Expression = std::vector<Product>;

// Why an atom is fixed; the meaning of all but these is the caller's.
using Cause = int32_t;
inline constexpr Cause kInexpressible = -1;  // the language has no word for it
inline constexpr Cause kNeverRead = -2;      // no operator uses these indices
inline constexpr Cause kSelfProduct = -3;    // an axis holds the units twice

class AxisAlgebra {
 public:
  // An axis of this size about which nothing is known yet.
  AtomId Free(int64_t size);
  AtomId Fixed(int64_t size, Cause cause);
  // A free atom that claims to lie within another.
  AtomId Within(int64_t size, AtomId outer);

  // The same as expressions; axes of size 1 need no atom.
  Expression FreeAxis(int64_t size);
  Expression FixedAxis(int64_t size, Cause cause);

  // The expression in atoms that are free or fixed, or sums behind free ones.
  Expression Resolve(const Expression& expression);
  // The same with all sums written out, whatever order that brings the indices
  // into: heads*q + heads*k. For asking what stands beside what.
  Expression Multiplied(const Expression& expression);
  // Whether the last factor of a resolved product is a sum; what it is bound
  // to.
  bool EndsInSum(const Product& product) const;
  Expression LastSum(const Product& product);

  // Makes two axes of the same size the same, as generally as the language of
  // expressions permits. What it cannot express gets fixed.
  void Unify(const Expression& a, const Expression& b, Cause cause);
  void Fix(const Expression& expression, Cause cause);

  // Makes sure that one of the sum's borders lies at `position` (inside the
  // axis). May bind or fix atoms.
  void SplitAt(const Expression& expression, int64_t position, Cause cause);

  // The part [begin, end) of an axis that has borders there.
  Expression Part(const Expression& expression, int64_t begin, int64_t end);

  // `expression` where the index of the fixed atom `outer` is `index`.
  Expression Instance(const Expression& expression, AtomId outer,
                      int64_t index);

  // Fixed factors written out as sums where anything lies within them (`all`:
  // leading ones everywhere).
  Expression Explode(const Expression& expression, bool all = false);

  // The flattening of several axes.
  Expression Flattened(std::span<const Expression> axes);

  // The atom, and its instances at the indices of what it lies within.
  std::vector<AtomId> WithInstances(AtomId atom);

  // The atom that this free or fixed atom lies within, as far as is claimed;
  // kNoAtom: none.
  AtomId Outer(AtomId atom);
  bool LiesWithin(AtomId atom, AtomId outer);
  // `atom` claims to lie within `outer` too.
  void Claim(AtomId atom, AtomId outer);
  // `atom` no longer lies within Outer(atom), but within what that lies
  // within.
  void Withdraw(AtomId atom);
  // No atom lies within another.
  void WithdrawAll();
  // Atoms that no longer lie within an atom, because it was withdrawn or
  // claims disagree, have no instances there: makes them one again. Returns
  // whether there were any.
  bool SettleInstances();

  // Whether anything claims, or ever claimed, to lie within it.
  bool IsClaimed(AtomId atom) const { return atoms_[atom].is_claimed; }

  int64_t size(AtomId atom) const { return atoms_[atom].size; }
  bool IsFixed(AtomId atom) const { return states_[atom] == kFixed; }
  Cause cause(AtomId atom) const { return atoms_[atom].cause; }
  int64_t SizeOf(std::span<const AtomId> product) const;
  int64_t SizeOf(const Expression& expression) const;
  bool IsFixed(const Expression& expression) const;

  // Grows with each thing learnt.
  int64_t knowledge() const { return knowledge_; }

 private:
  enum State : uint8_t { kFree, kFixed, kBound };

  struct Atom {
    int64_t size = 1;
    Cause cause = 0;          // of fixed atoms
    Expression binding = {};  // of bound atoms
    std::vector<AtomId> claims = {};
    bool is_claimed = false;  // by another atom, to lie within this one
    int splits = 0;           // how often what this was part of was cut
    std::map<std::pair<AtomId, int64_t>, AtomId> instances = {};
  };

  AtomId NewAtom(int64_t size);
  bool IsFixed(std::span<const AtomId> product) const;
  void SettleInstancesOf(AtomId atom);
  void FixAtom(AtomId atom, Cause cause);
  void FixProduct(std::span<const AtomId> product, Cause cause);
  void Bind(AtomId atom, Expression binding);
  void ClaimNesting(const Product& product);
  void UnifyInstances(AtomId atom, const Expression& meaning);

  bool IsResolved(const Product& product) const;
  Expression ResolveProduct(const Product& product);
  std::optional<size_t> FirstSum(const Product& product) const;
  Expression ReplaceByFixed(Product product, size_t position);
  Product Substitute(const Product& product);
  Expression ExplodeProduct(const Product& product, bool all);
  Product NestInstances(const Product& product);
  AtomId SumAtom(const Expression& parts);
  bool IsSum(AtomId atom) const;

  void MergeFixed(const Product& p, const Product& q);
  // One step towards a == b; false: they are the same.
  bool UnifyStep(const Expression& a, const Expression& b, Cause cause);
  void UnifyProducts(Product p, Product q, Cause cause);
  void UnifyFactors(std::span<const AtomId> p, std::span<const AtomId> q,
                    Cause cause);
  void SplitFactor(AtomId atom, AtomId outer);
  bool SplitProduct(const Product& product, int64_t position, Cause cause);

  AtomId InstanceOf(AtomId atom, AtomId outer, int64_t index);
  AtomId Representative(AtomId atom);
  std::vector<AtomId> ResolvedClaims(AtomId atom);
  std::vector<AtomId> ChainOf(AtomId atom, std::vector<AtomId>& visited);
  AtomId OuterOf(AtomId atom, std::vector<AtomId>& visited);
  AtomId ClaimedOuter(AtomId atom, std::vector<AtomId>& visited);

  std::vector<Atom> atoms_;
  std::vector<State> states_;  // by atom; by themselves, as most asked for
  std::map<Expression, AtomId> sums_;  // atoms made for sums
  int64_t knowledge_ = 0;
};

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_ALGEBRA_H_
