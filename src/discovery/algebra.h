// The algebra of axes: what discovery knows about the axes of a graph's values.
//
// An axis is an index set: a concatenation (sum) of flattenings (products) of
// atoms. An atom is an index set with an unknown permutation, in one of three
// states:
//
//   free   any permutation of its indices, independent of all other atoms
//   fixed  the identity
//   bound  equal to an expression over other atoms
//
// An atom only ever becomes fixed or bound. So knowledge only grows, whatever
// the order in which the operators are visited, and the process terminates.
//
// An atom may claim to lie within another atom: to have one permutation for
// each index of that atom (a wreath product). A claim is made wherever an axis
// is split, without proof. Before any claim is used, Discover() checks it
// against all values and operators, and withdraws the claims that do not hold.
//
// An atom within a *fixed* atom has one independent permutation for each index
// of the fixed atom: its instances. Choosing one index of the fixed axis
// (taking q out of a fused qkv) chooses an instance.

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

// Row-major, the outermost factor first. Empty: an axis of size 1. If a sum
// follows a free factor (heads*(q+k)), the last factor is an atom that is bound
// to the sum; everywhere else sums are written out.
using Product = std::vector<AtomId>;
// A concatenation. Never empty.
using Expression = std::vector<Product>;

// Why an atom is fixed. The caller defines all values except the following.
using Cause = int32_t;
inline constexpr Cause kInexpressible = -1;  // no expression can describe it
inline constexpr Cause kNeverRead = -2;      // no operator uses these indices
inline constexpr Cause kSelfProduct = -3;  // the axis holds the same atom twice

class AxisAlgebra {
 public:
  // An axis of this size about which nothing is known yet.
  AtomId Free(int64_t size);
  AtomId Fixed(int64_t size, Cause cause);
  // A free atom that claims to lie within `outer`.
  AtomId FreeWithin(int64_t size, AtomId outer);

  // The same as an expression. An axis of size 1 needs no atom.
  Expression FreeAxis(int64_t size);
  Expression FixedAxis(int64_t size, Cause cause);

  // The expression over free and fixed atoms, and sums behind free atoms.
  Expression Resolve(const Expression& expression);
  // The same with all sums multiplied out: heads*q + heads*k. This may reorder
  // the indices; use it only to find out which atoms occur together.
  Expression Multiplied(const Expression& expression);
  // Whether the last factor of a resolved product is a sum, and the expression
  // of that sum.
  bool EndsInSum(const Product& product) const;
  Expression LastSum(const Product& product);

  // Makes two axes of the same size equal, with as few restrictions as
  // expressions can describe. Fixes what they cannot describe.
  void Unify(const Expression& a, const Expression& b, Cause cause);
  void Fix(const Expression& expression, Cause cause);

  // Makes sure that the sum has a border at `position`, which is inside the
  // axis. May bind or fix atoms.
  void SplitAt(const Expression& expression, int64_t position, Cause cause);

  // The part [begin, end) of an axis. Requires borders at both positions,
  // unless the axis is fixed there.
  Expression Part(const Expression& expression, int64_t begin, int64_t end);

  // `expression` restricted to index `index` of the fixed atom `outer`.
  Expression Instance(const Expression& expression, AtomId outer,
                      int64_t index);

  // Writes fixed factors out as sums if any atom lies within them. With `all`,
  // writes out all leading fixed factors.
  Expression Explode(const Expression& expression, bool all = false);

  // The flattening of several axes.
  Expression Flattened(std::span<const Expression> axes);

  // The atom and all its instances.
  std::vector<AtomId> WithInstances(AtomId atom);

  // The atom that this free or fixed atom claims to lie within, or kNoAtom.
  AtomId Outer(AtomId atom);
  bool LiesWithin(AtomId atom, AtomId outer);
  // Adds the claim that `atom` lies within `outer`.
  void Claim(AtomId atom, AtomId outer);
  // Moves `atom` out of Outer(atom) into the atom that Outer(atom) lies within.
  void Withdraw(AtomId atom);
  // Withdraws all claims.
  void WithdrawAll();
  // An atom has no instances in an atom that it no longer lies within (the
  // claim was withdrawn, or claims disagree). Unifies such instances with the
  // atom again. Returns whether there were any.
  bool MergeStaleInstances();

  // Whether any atom claims, or ever claimed, to lie within this one.
  bool IsClaimed(AtomId atom) const { return atoms_[atom].is_claimed; }

  int64_t size(AtomId atom) const { return atoms_[atom].size; }
  bool IsFixed(AtomId atom) const { return states_[atom] == kFixed; }
  Cause cause(AtomId atom) const { return atoms_[atom].cause; }
  int64_t SizeOf(std::span<const AtomId> product) const;
  int64_t SizeOf(const Expression& expression) const;
  bool IsFixed(const Expression& expression) const;

  // A counter that grows with each change of an atom's state.
  int64_t knowledge() const { return knowledge_; }

 private:
  enum State : uint8_t { kFree, kFixed, kBound };

  struct Atom {
    int64_t size = 1;
    Cause cause = 0;          // of fixed atoms
    Expression binding = {};  // of bound atoms
    std::vector<AtomId> claims = {};
    bool is_claimed = false;  // another atom claimed to lie within this one
    int splits = 0;           // how often the axis that it came from was cut
    std::map<std::pair<AtomId, int64_t>, AtomId> instances = {};
  };

  AtomId NewAtom(int64_t size);
  bool IsFixed(std::span<const AtomId> product) const;
  void MergeStaleInstancesOf(AtomId atom);
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
  // Performs one step towards a == b. Returns false if they are equal already.
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
  // By atom; apart from the atoms, since states are read most often.
  std::vector<State> states_;
  std::map<Expression, AtomId> sums_;  // atoms made for sums
  int64_t knowledge_ = 0;
};

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_ALGEBRA_H_
