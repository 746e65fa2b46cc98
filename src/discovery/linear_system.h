// Linear equations between unknown whole numbers, solved as they come.
//
// An equation binds one of its unknowns to a combination of the others, so what
// is left free at any time are the parameters of all solutions. Bindings are
// followed lazily and shortened on the way, as in a union-find structure: the
// systems met here are long chains of equations between two unknowns, and take
// about linear time.

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
  // A sum of terms; resolved ones ascend by unknown, without zeros.
  using Form = std::vector<Term>;

  explicit LinearSystem(Field field) : field_(field) {}

  int NewUnknown();

  // form = 0. What no whole numbers of this kind can express (2 x = 3 y) and
  // what grows too long is solved by zeros: fewer solutions, but all true.
  void Require(const Form& form);
  void RequireZero(int unknown) { Require({{unknown, 1}}); }
  void RequireEqual(int x, int y) { Require({{x, 1}, {y, -1}}); }

  // The unknown in terms of those that are free.
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
