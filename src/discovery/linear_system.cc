#include "discovery/linear_system.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>

namespace rebasin {
namespace {

// Limits for graphs made to need more: those get fewer freedoms.
constexpr size_t kLongestForm = 64;
constexpr int kLargestCoefficient = 1 << 20;

}  // namespace

int LinearSystem::NewUnknown() {
  const int unknown = static_cast<int>(bindings_.size());
  bindings_.emplace_back();
  themselves_.push_back({{unknown, 1}});
  return unknown;
}

void LinearSystem::Require(const Form& form) {
  for (const Term& term : form) Resolve(term.unknown);
  Form sum = Substitute(form);
  Normalise(sum);
  if (sum.empty()) return;
  // Binds the latest unknown with coefficient 1 or -1, so that the unknowns met
  // first remain free.
  int best = -1;
  bool usable = sum.size() <= kLongestForm;
  for (int t = 0; t < static_cast<int>(sum.size()); ++t) {
    const int size = std::abs(sum[t].coefficient);
    usable &= size <= kLargestCoefficient;
    if (size == 1) best = t;
  }
  if (usable && best >= 0) return Bind(sum, static_cast<size_t>(best));
  for (const Term& term : sum) bindings_[term.unknown] = Form();
}

// x = -(the other terms) / its coefficient, which is 1 or -1.
void LinearSystem::Bind(const Form& form, size_t term) {
  Form rest = form;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(term));
  for (Term& other : rest) {
    if (field_ == Field::kIntegers) {
      other.coefficient *= -form[term].coefficient;
    }
  }
  bindings_[form[term].unknown] = std::move(rest);
}

// Replaces each unknown by its binding.
LinearSystem::Form LinearSystem::Substitute(const Form& form) const {
  std::map<int, int> sum;
  for (const Term& term : form) {
    const auto& binding = bindings_[term.unknown];
    for (const Term& part : binding ? *binding : themselves_[term.unknown]) {
      sum[part.unknown] += term.coefficient * part.coefficient;
    }
  }
  Form result;
  for (const auto& [unknown, coefficient] : sum) {
    const int value =
        field_ == Field::kModulo2 ? std::abs(coefficient) % 2 : coefficient;
    if (value != 0) result.push_back({unknown, value});
  }
  return result;
}

void LinearSystem::Normalise(Form& form) const {
  int common = 0;
  for (const Term& term : form) common = std::gcd(common, term.coefficient);
  for (Term& term : form) term.coefficient /= std::max(1, common);
}

// Not recursive, since a file may contain a chain of any length.
const LinearSystem::Form& LinearSystem::Resolve(int unknown) {
  std::vector<int> open = {unknown};
  while (!open.empty()) {
    const int top = open.back();
    const size_t depth = open.size();
    bool done = true;
    for (const Term& term : bindings_[top].value_or(Form())) {
      if (!bindings_[term.unknown]) continue;
      done = false;
      if (!IsResolved(*bindings_[term.unknown])) open.push_back(term.unknown);
    }
    if (open.size() > depth) continue;
    if (!done) bindings_[top] = Substitute(*bindings_[top]);
    open.pop_back();
  }
  return bindings_[unknown] ? *bindings_[unknown] : themselves_[unknown];
}

bool LinearSystem::IsResolved(const Form& form) const {
  return std::none_of(form.begin(), form.end(), [&](const Term& term) {
    return bindings_[term.unknown].has_value();
  });
}

}  // namespace rebasin
