// Atoms, and the normal form of expressions.

#include "discovery/algebra.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace rebasin {
namespace {

// Fixed factors with more indices than this are not written out, which costs
// little freedom.
constexpr int64_t kLargestExplosion = 4096;

Product Joined(std::span<const AtomId> a, std::span<const AtomId> b) {
  Product joined(a.begin(), a.end());
  joined.insert(joined.end(), b.begin(), b.end());
  return joined;
}

void Append(Expression& to, Expression from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

}  // namespace

AtomId AxisAlgebra::NewAtom(int64_t size) {
  assert(size > 1);
  atoms_.push_back({.size = size});
  states_.push_back(kFree);
  return static_cast<AtomId>(atoms_.size() - 1);
}

AtomId AxisAlgebra::Free(int64_t size) { return NewAtom(size); }

AtomId AxisAlgebra::Fixed(int64_t size, Cause cause) {
  const AtomId atom = NewAtom(size);
  states_[atom] = kFixed;
  atoms_[atom].cause = cause;
  return atom;
}

AtomId AxisAlgebra::FreeWithin(int64_t size, AtomId outer) {
  const AtomId atom = NewAtom(size);
  atoms_[atom].claims = {outer};
  atoms_[outer].is_claimed = true;
  return atom;
}

Expression AxisAlgebra::FreeAxis(int64_t size) {
  return size == 1 ? Expression{{}} : Expression{{Free(size)}};
}

Expression AxisAlgebra::FixedAxis(int64_t size, Cause cause) {
  return size == 1 ? Expression{{}} : Expression{{Fixed(size, cause)}};
}

int64_t AxisAlgebra::SizeOf(std::span<const AtomId> product) const {
  int64_t size = 1;
  for (AtomId atom : product) size *= atoms_[atom].size;
  return size;
}

int64_t AxisAlgebra::SizeOf(const Expression& expression) const {
  int64_t size = 0;
  for (const Product& product : expression) size += SizeOf(product);
  return size;
}

bool AxisAlgebra::IsFixed(std::span<const AtomId> product) const {
  return std::all_of(product.begin(), product.end(),
                     [&](AtomId atom) { return IsFixed(atom); });
}

bool AxisAlgebra::IsFixed(const Expression& expression) const {
  return std::all_of(
      expression.begin(), expression.end(),
      [&](const Product& product) { return IsFixed(std::span(product)); });
}

void AxisAlgebra::FixAtom(AtomId atom, Cause cause) {
  if (states_[atom] == kBound) {
    Fix(Expression(atoms_[atom].binding), cause);
    return;
  }
  if (states_[atom] == kFixed) return;
  states_[atom] = kFixed;
  atoms_[atom].cause = cause;
  ++knowledge_;
  const auto instances = atoms_[atom].instances;
  for (const auto& [key, instance] : instances) FixAtom(instance, cause);
}

void AxisAlgebra::FixProduct(std::span<const AtomId> product, Cause cause) {
  for (AtomId atom : product) FixAtom(atom, cause);
}

void AxisAlgebra::Fix(const Expression& expression, Cause cause) {
  const Expression resolved = Resolve(expression);
  for (const Product& product : resolved) FixProduct(product, cause);
}

void AxisAlgebra::Bind(AtomId atom, Expression binding) {
  Atom& bound = atoms_[atom];
  assert(states_[atom] != kBound);
  ++knowledge_;
  states_[atom] = kBound;
  bound.binding = binding;
  // The claims of the bound atom pass to the outermost factor of each part that
  // is not fixed. Atoms that claimed to lie within the bound atom now lie
  // within the innermost factor.
  for (const Product& product : binding) {
    if (product.empty()) continue;
    const auto heir =
        std::find_if(product.begin(), product.end(),
                     [&](AtomId factor) { return !IsFixed(factor); });
    if (heir != product.end()) {
      std::vector<AtomId>& claims = atoms_[*heir].claims;
      claims.insert(claims.end(), bound.claims.begin(), bound.claims.end());
    }
    if (bound.is_claimed) atoms_[product.back()].is_claimed = true;
    ClaimNesting(product);
  }
  UnifyInstances(atom, binding);
}

// Makes a free factor without claims claim to lie within the factor before it.
void AxisAlgebra::ClaimNesting(const Product& product) {
  for (size_t i = 1; i < product.size(); ++i) {
    const AtomId outer = product[i - 1];
    Atom& inner = atoms_[product[i]];
    if (states_[product[i]] != kFree || states_[outer] != kFree) continue;
    if (!inner.claims.empty() || LiesWithin(outer, product[i])) continue;
    inner.claims = {outer};
    atoms_[outer].is_claimed = true;
  }
}

void AxisAlgebra::UnifyInstances(AtomId atom, const Expression& meaning) {
  const auto instances = std::move(atoms_[atom].instances);
  atoms_[atom].instances.clear();
  for (const auto& [key, instance] : instances) {
    const auto& [outer, index] = key;
    const Expression now = Resolve({{outer}});
    // The outer atom may be bound, too. The instance of `meaning` is defined
    // only if `outer` now is a single fixed atom. Otherwise all instances
    // become `meaning` itself.
    const bool single = now.size() == 1 && now[0].size() == 1;
    const Expression wanted = single && IsFixed(now[0][0])
                                  ? Instance(meaning, now[0][0], index)
                                  : meaning;
    Unify({{instance}}, wanted, kInexpressible);
  }
}

Product AxisAlgebra::Substitute(const Product& product) {
  Product result;
  for (AtomId factor : product) {
    const AtomId atom = Representative(factor);
    const Atom& data = atoms_[atom];
    if (states_[atom] != kBound || data.binding.size() > 1) {
      result.push_back(atom);
      continue;
    }
    const Product inner = Substitute(data.binding[0]);
    result.insert(result.end(), inner.begin(), inner.end());
  }
  return result;
}

std::optional<size_t> AxisAlgebra::FirstSum(const Product& product) const {
  for (size_t i = 0; i < product.size(); ++i) {
    if (states_[product[i]] == kBound) return i;
  }
  return std::nullopt;
}

bool AxisAlgebra::IsSum(AtomId atom) const {
  return states_[atom] == kBound && atoms_[atom].binding.size() > 1;
}

bool AxisAlgebra::EndsInSum(const Product& product) const {
  return !product.empty() && IsSum(product.back());
}

Expression AxisAlgebra::LastSum(const Product& product) {
  return Resolve(Expression(atoms_[product.back()].binding));
}

// One atom for each sum, so that asking again gives the same atom.
AtomId AxisAlgebra::SumAtom(const Expression& parts) {
  const auto found = sums_.find(parts);
  if (found != sums_.end()) return found->second;
  const AtomId atom = NewAtom(SizeOf(parts));
  states_[atom] = kBound;
  atoms_[atom].binding = parts;
  sums_.emplace(parts, atom);
  return atom;
}

Expression AxisAlgebra::Multiplied(const Expression& expression) {
  Expression result = Resolve(expression);
  const bool nested =
      std::any_of(result.begin(), result.end(),
                  [&](const Product& product) { return EndsInSum(product); });
  if (!nested) return result;
  for (const Product& product : std::exchange(result, {})) {
    if (!EndsInSum(product)) {
      result.push_back(product);
      continue;
    }
    const auto before = std::span(product).first(product.size() - 1);
    for (const Product& part : Multiplied(LastSum(product))) {
      result.push_back(Joined(before, part));
    }
  }
  return result;
}

// Expressions cannot describe a sum behind free factors that is followed by
// further factors ("heads*(a+b)*c"), so such a sum is fixed. A sum of fixed
// parts is replaced in the same way.
Expression AxisAlgebra::ReplaceByFixed(Product product, size_t position) {
  const AtomId atom = product[position];
  Fix(Expression(atoms_[atom].binding), kInexpressible);
  const AtomId fixed = Fixed(atoms_[atom].size, kInexpressible);
  atoms_[atom].binding = {{fixed}};
  product[position] = fixed;
  return ResolveProduct(product);
}

Expression AxisAlgebra::ResolveProduct(const Product& product) {
  Product flat = Substitute(product);
  const auto position = FirstSum(flat);
  if (!position) return {flat};
  const auto prefix = std::span(flat).first(*position);
  const auto rest = std::span(flat).subspan(*position + 1);
  if (!IsFixed(prefix)) {
    const Expression sum = rest.empty() ? LastSum(flat) : Expression();
    if (sum.empty() || IsFixed(sum)) return ReplaceByFixed(flat, *position);
    flat.back() = SumAtom(sum);
    return {flat};
  }
  if (SizeOf(prefix) > kLargestExplosion) {
    return ReplaceByFixed(flat, *position);
  }
  Expression result;
  if (prefix.empty()) {
    const Expression binding = atoms_[flat[*position]].binding;
    for (const Product& part : binding) {
      Append(result, ResolveProduct(Joined(part, rest)));
    }
    return result;
  }
  for (const Product& part : ExplodeProduct(flat, true)) {
    Append(result, ResolveProduct(part));
  }
  return result;
}

// Whether no atom is bound, as in most products.
bool AxisAlgebra::IsResolved(const Product& product) const {
  for (AtomId atom : product) {
    if (states_[atom] == kBound) return false;
  }
  return true;
}

Expression AxisAlgebra::Resolve(const Expression& expression) {
  Expression result;
  result.reserve(expression.size());
  for (const Product& product : expression) {
    if (IsResolved(product)) {
      result.push_back(product);
    } else {
      Append(result, ResolveProduct(product));
    }
  }
  return result;
}

Expression AxisAlgebra::ExplodeProduct(const Product& product, bool all) {
  if (product.empty() || !IsFixed(product[0])) return {product};
  const AtomId outer = product[0];
  const Product rest(product.begin() + 1, product.end());
  const bool inhabited =
      std::any_of(rest.begin(), rest.end(),
                  [&](AtomId atom) { return LiesWithin(atom, outer); });
  if (!inhabited && !all) {
    // A later factor may still lie within a later fixed factor.
    Expression deeper = ExplodeProduct(rest, false);
    if (deeper.size() == 1) return {product};
  }
  // All leading fixed factors are about to be written out.
  const auto moving =
      std::find_if(product.begin(), product.end(),
                   [&](AtomId factor) { return !IsFixed(factor); });
  if (SizeOf(std::span(product.begin(), moving)) > kLargestExplosion) {
    FixProduct(rest, atoms_[outer].cause);
    return {product};
  }
  Expression result;
  for (int64_t index = 0; index < atoms_[outer].size; ++index) {
    for (const Product& part : Instance({rest}, outer, index)) {
      Append(result, ExplodeProduct(part, false));
    }
  }
  return result;
}

// heads*3*size, where `size` has instances that differ among the indices of the
// 3, becomes heads*(q+k+v).
Product AxisAlgebra::NestInstances(const Product& product) {
  const auto free = std::find_if(product.begin(), product.end(),
                                 [&](AtomId atom) { return !IsFixed(atom); });
  const auto fixed = std::find_if(free, product.end(),
                                  [&](AtomId atom) { return IsFixed(atom); });
  if (fixed == product.end() || EndsInSum(product)) return product;
  const Expression parts =
      Resolve(ExplodeProduct(Product(fixed, product.end()), false));
  if (parts.size() < 2) return product;
  Product nested(product.begin(), fixed);
  nested.push_back(SumAtom(parts));
  return nested;
}

Expression AxisAlgebra::Explode(const Expression& expression, bool all) {
  const Expression resolved = Resolve(expression);
  if (IsFixed(resolved)) return resolved;
  Expression exploded;
  for (const Product& product : resolved) {
    const bool leave = IsFixed(std::span(product));
    Append(exploded,
           leave ? Expression{product} : ExplodeProduct(product, all));
  }
  if (exploded != resolved) exploded = Resolve(exploded);
  Expression nested;
  for (const Product& product : exploded) {
    nested.push_back(NestInstances(product));
  }
  return nested == exploded ? nested : Resolve(nested);
}

Expression AxisAlgebra::Flattened(std::span<const Expression> axes) {
  Product product;
  for (const Expression& axis : axes) {
    const Expression resolved = Resolve(axis);
    if (resolved.size() == 1) {
      product = Joined(product, resolved[0]);
      continue;
    }
    // An atom for the sum, so that it can be a factor of the product.
    const AtomId alias = NewAtom(SizeOf(resolved));
    states_[alias] = kBound;
    atoms_[alias].binding = resolved;
    product.push_back(alias);
  }
  return ResolveProduct(product);
}

Expression AxisAlgebra::Part(const Expression& expression, int64_t begin,
                             int64_t end) {
  Expression result;
  int64_t position = 0;
  for (const Product& product : Explode(expression, true)) {
    const int64_t next = position + SizeOf(product);
    if (position >= begin && next <= end) {
      result.push_back(product);
    } else if (position < end && next > begin) {
      // Only a fixed index set may be cut at any position.
      assert(IsFixed(std::span(product)));
      const int64_t size = std::min(next, end) - std::max(position, begin);
      const Cause cause = atoms_[product[0]].cause;
      Append(result, FixedAxis(size, cause));
    }
    position = next;
  }
  return result;
}

}  // namespace rebasin
