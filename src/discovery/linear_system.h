// Linear equations between unknown integers, solved one after the other.
//
// An equation binds one of its unknowns to a combination of the others. The
// unknowns that remain free are the parameters of all solutions. Bindings are
// resolved lazily and shortened when they are read, as in a union-find
// structure: the systems of this library are long chains of equations between
// two unknowns, which take about linear time.

#ifndef REBASIN_DISCOVERY_LINEAR_SYSTEM_H_
#define REBASIN_DISCOVERY_LINEAR_SYSTEM_H_

#include <optional>
#include <utility>
#include <vector>

namespace rebasin {

class LinearSystem {
 public:
  enum class Field { kIntegers, kModulo2 };

  struct Term {
    int unknown = 0;
    int coefficient = 1;

    friend bool operator==(const Term&, const Term&) = default;
  };
  // A sum of terms. Resolved forms are sorted by unknown and have no zero
  // terms.
  using Form = std::vector<Term>;

  explicit LinearSystem(Field field) : field_(field) {}

  int NewUnknown();

  // Requires form = 0. If the equation has no binding over this field (2 x = 3
  // y) or grows too long, all its unknowns become zero: that loses solutions,
  // but adds no wrong ones.
  void Require(const Form& form);
  void RequireZero(int unknown) { Require({{unknown, 1}}); }
  void RequireEqual(int x, int y) { Require({{x, 1}, {y, -1}}); }

  // The unknown as a form over free unknowns.
  const Form& Resolve(int unknown);

 private:
  Form Substitute(const Form& form) const;
  bool IsResolved(const Form& form) const;
  void Normalise(Form& form) const;
  void Bind(const Form& form, size_t term);

  Field field_;
  std::vector<std::optional<Form>> bindings_;  // none: free
  std::vector<Form> themselves_;
};

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_LINEAR_SYSTEM_H_
