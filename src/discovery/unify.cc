// Unification: makes two axes equal.

#include <algorithm>
#include <cassert>
#include <numeric>

#include "discovery/algebra.h"

namespace rebasin {
namespace {

constexpr int kMaxSplits = 1000;

// Iterates over the products of a sum.
class Cursor {
 public:
  explicit Cursor(Expression expression) : pieces_(std::move(expression)) {}

  bool done() const { return next_ == pieces_.size(); }
  const Product& piece() const { return pieces_[next_]; }
  int64_t consumed() const { return consumed_; }

  // Advances by `size` indices of the current piece, of which `left` remain.
  void Consume(int64_t size, int64_t left) {
    consumed_ = size < left ? consumed_ + size : 0;
    if (size == left) ++next_;
  }
  void Replace(Expression pieces) {
    const auto at = pieces_.erase(pieces_.begin() + next_);
    pieces_.insert(at, pieces.begin(), pieces.end());
  }

 private:
  Expression pieces_;
  size_t next_ = 0;
  int64_t consumed_ = 0;  // of the current piece; only fixed ones are cut
};

}  // namespace

void AxisAlgebra::Unify(const Expression& a, const Expression& b, Cause cause) {
  assert(SizeOf(a) == SizeOf(b));
  while (UnifyStep(a, b, cause)) {
  }
}

// Binds equal fixed index sets to each other, so that an atom within one of
// them lies within the other.
void AxisAlgebra::MergeFixed(const Product& p, const Product& q) {
  if (p.size() != 1 || q.size() != 1 || p[0] == q[0]) return;
  if (atoms_[p[0]].size != atoms_[q[0]].size) return;
  const bool p_claimed = atoms_[p[0]].is_claimed;
  const bool q_claimed = atoms_[q[0]].is_claimed;
  if (!p_claimed && !q_claimed) return;
  const int64_t before = knowledge_;
  const bool keep_p = p_claimed && (!q_claimed || p[0] < q[0]);
  Bind(keep_p ? q[0] : p[0], {{keep_p ? p[0] : q[0]}});
  // If no atom lies within one of the two, it was a mere alias. Such aliases
  // are made at every visit and do not count as new knowledge.
  if (!p_claimed || !q_claimed) knowledge_ = before;
}

// Finds the first place where the two differ, and changes one atom there.
bool AxisAlgebra::UnifyStep(const Expression& a, const Expression& b,
                            Cause cause) {
  const int64_t before = knowledge_;
  Cursor left(Resolve(a));
  Cursor right(Resolve(b));
  while (!left.done() && knowledge_ == before) {
    const Product p = left.piece();
    const Product q = right.piece();
    const int64_t p_left = SizeOf(p) - left.consumed();
    const int64_t q_left = SizeOf(q) - right.consumed();
    const bool p_fixed = IsFixed(std::span(p));
    const bool q_fixed = IsFixed(std::span(q));
    // If the pieces have different sizes, the larger one is cut, unless it is
    // fixed or is about to be fixed as a whole.
    const bool p_cut = p_left > q_left && !p_fixed;
    const bool q_cut = q_left > p_left && !q_fixed;
    if (p_cut || q_cut) {
      const Product& piece = p_cut ? p : q;
      if (IsFixed(piece[0])) {
        (p_cut ? left : right).Replace(ExplodeProduct(piece, true));
      } else if (!SplitProduct(piece, std::min(p_left, q_left), cause)) {
        FixProduct(piece, cause);
      }
      continue;
    }
    if (p_fixed && q_fixed) {
      MergeFixed(p, q);
    } else if (p_fixed) {
      FixProduct(q, p.empty() ? cause : atoms_[p[0]].cause);
    } else if (q_fixed) {
      FixProduct(p, q.empty() ? cause : atoms_[q[0]].cause);
    } else {
      UnifyProducts(p, q, cause);
    }
    const int64_t common = std::min(p_left, q_left);
    left.Consume(common, p_left);
    right.Consume(common, q_left);
  }
  return knowledge_ != before;
}

void AxisAlgebra::UnifyProducts(Product p, Product q, Cause cause) {
  while (!p.empty() && !q.empty() && p.back() == q.back()) {
    p.pop_back();
    q.pop_back();
  }
  const auto [p_end, q_end] =
      std::mismatch(p.begin(), p.end(), q.begin(), q.end());
  p.erase(p.begin(), p_end);
  q.erase(q.begin(), q_end);
  if (p.empty() && q.empty()) return;
  assert(SizeOf(p) == SizeOf(q));
  UnifyFactors(p, q, cause);
}

void AxisAlgebra::UnifyFactors(std::span<const AtomId> p,
                               std::span<const AtomId> q, Cause cause) {
  if (IsFixed(p) || IsFixed(q)) {
    const Cause why = atoms_[IsFixed(p) ? p[0] : q[0]].cause;
    FixProduct(p, why);
    FixProduct(q, why);
    MergeFixed(Product(p.begin(), p.end()), Product(q.begin(), q.end()));
    return;
  }
  // A sum behind common factors is unified like any other axis.
  if (IsSum(p[0]) || IsSum(q[0])) {
    return Unify({Product(p.begin(), p.end())}, {Product(q.begin(), q.end())},
                 cause);
  }
  if (p.size() == 1 || q.size() == 1) {
    const bool left = p.size() == 1 && (q.size() > 1 || p[0] > q[0]);
    const auto other = left ? q : p;
    Bind(left ? p[0] : q[0], {Product(other.begin(), other.end())});
    return;
  }
  const int64_t x = atoms_[p[0]].size;
  const int64_t y = atoms_[q[0]].size;
  if (x == y) return UnifyFactors(p.first(1), q.first(1), cause);
  if (y % x == 0) return SplitFactor(q[0], p[0]);
  if (x % y == 0) return SplitFactor(p[0], q[0]);
  FixProduct(p, cause);
  FixProduct(q, cause);
}

// Binds `atom` to outer * (a new atom within it).
void AxisAlgebra::SplitFactor(AtomId atom, AtomId outer) {
  const int64_t inner_size = atoms_[atom].size / atoms_[outer].size;
  if (IsFixed(atom)) {
    const Cause cause = atoms_[atom].cause;
    FixAtom(outer, cause);
    Bind(atom, {{outer, Fixed(inner_size, cause)}});
    return;
  }
  const AtomId inner = FreeWithin(inner_size, outer);
  Bind(atom, {{outer, inner}});
}

// Adds a border at `position` inside a product that is not all fixed. Returns
// false if that is impossible.
bool AxisAlgebra::SplitProduct(const Product& product, int64_t position,
                               Cause cause) {
  const AtomId first = product[0];
  const int64_t inner = SizeOf(std::span(product).subspan(1));
  const int64_t size = atoms_[first].size;
  // Cutting pieces off one axis repeatedly would nest without end.
  if (atoms_[first].splits >= kMaxSplits) return false;
  // A border inside one index of the first factor makes that index different
  // from the others.
  if (position % inner != 0) {
    FixAtom(first, cause);
    return true;
  }
  const int64_t border = position / inner;
  if (!atoms_[first].is_claimed) {
    const Expression head = FreeAxis(border);
    const Expression tail = FreeAxis(size - border);
    const int splits = atoms_[first].splits + 1;
    for (const Product& part : {head[0], tail[0]}) {
      if (!part.empty()) atoms_[part[0]].splits = splits;
    }
    Bind(first, {head[0], tail[0]});
    return true;
  }
  // An atom lies within this one and must remain so: equal parts become the
  // indices of a fixed factor.
  const int64_t part = std::gcd(border, size);
  if (part > 1) {
    const AtomId outer = Fixed(size / part, cause);
    Bind(first, {{outer, FreeWithin(part, outer)}});
    return true;
  }
  FixAtom(first, cause);
  return true;
}

void AxisAlgebra::SplitAt(const Expression& expression, int64_t position,
                          Cause cause) {
  for (int64_t before = knowledge_ - 1; before != knowledge_;) {
    before = knowledge_;
    int64_t begin = 0;
    for (const Product& product : Explode(expression, true)) {
      const int64_t end = begin + SizeOf(product);
      const bool inside = position > begin && position < end;
      if (inside && !IsFixed(std::span(product)) &&
          !SplitProduct(product, position - begin, cause)) {
        FixProduct(product, cause);
      }
      if (inside) break;
      begin = end;
    }
  }
}

}  // namespace rebasin
