#include "lab/verdicts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace rebasin::lab {
namespace {

bool IsLower(const NamedNumber& a, const NamedNumber& b) {
  return a.value < b.value;
}

const NamedNumber& Lowest(const std::vector<NamedNumber>& numbers) {
  return *std::min_element(numbers.begin(), numbers.end(), IsLower);
}

const NamedNumber& Highest(const std::vector<NamedNumber>& numbers) {
  return *std::max_element(numbers.begin(), numbers.end(), IsLower);
}

std::string Text(const NamedNumber& number) {
  return number.name + " " + Number(number.value, 3);
}

// Lists a few of many: those at the ends.
std::string Listed(const std::vector<NamedNumber>& numbers) {
  constexpr size_t kMany = 9;
  if (numbers.size() >= kMany) {
    return std::to_string(numbers.size()) + " from " + Text(Lowest(numbers)) +
           " to " + Text(Highest(numbers));
  }
  std::string text;
  for (const NamedNumber& number : numbers) {
    if (!text.empty()) text += ", ";
    text += Text(number);
  }
  return text;
}

std::ptrdiff_t CountAbove(const std::vector<NamedNumber>& numbers,
                          double bound) {
  return std::count_if(
      numbers.begin(), numbers.end(),
      [&](const NamedNumber& number) { return number.value > bound; });
}

Support Grade(bool fully, bool in_part) {
  if (fully) return Support::kSupported;
  return in_part ? Support::kMixed : Support::kNotSupported;
}

}  // namespace

Claim AtSize(Claim claim, const std::string& shortened) {
  if (shortened.empty()) return claim;
  claim.finding += " (Shortened: " + shortened + ".)";
  if (claim.support != Support::kSupported) {
    claim.support = Support::kNotTested;
  }
  return claim;
}

Claim BarrierVanishes(std::string claim, double naive,
                      const std::vector<NamedNumber>& matched,
                      double negligible) {
  const NamedNumber& best = Lowest(matched);
  if (naive <= negligible) {
    return {std::move(claim), Support::kNotTested,
            "There is no barrier to remove: " + Number(naive, 3) +
                " without matching."};
  }
  const bool gone = best.value <= std::max(negligible, naive / 10);
  return {std::move(claim), Grade(gone, best.value <= naive / 2),
          "The barrier is " + Number(naive, 3) + " as the networks are; " +
              Listed(matched) + "."};
}

Claim InThisOrder(std::string claim,
                  const std::vector<NamedNumber>& lowest_first,
                  double tolerance, double negligible) {
  bool ordered = true;
  for (size_t i = 1; i < lowest_first.size(); ++i) {
    const double low = lowest_first[i - 1].value, high = lowest_first[i].value;
    const double larger = std::max(std::abs(low), std::abs(high));
    ordered &= low <= high + tolerance * larger + negligible;
  }
  const bool first =
      lowest_first.front().value <= Lowest(lowest_first).value + negligible;
  return {std::move(claim), Grade(ordered, first), Listed(lowest_first) + "."};
}

Claim Falls(std::string claim, const std::string& x_name,
            const std::vector<double>& x, const std::vector<double>& y,
            double slack) {
  bool steady = true;
  std::string list;
  for (size_t i = 0; i < y.size(); ++i) {
    if (i > 0) steady &= y[i] <= y[i - 1] + slack * std::abs(y.front());
    list += (i > 0 ? ", " : "") + Number(y[i], 3) + " at " + Number(x[i], 3);
  }
  return {std::move(claim),
          Grade(steady && y.back() <= y.front() / 2, y.back() < y.front()),
          "By " + x_name + ": " + list + "."};
}

Claim LowerThanAll(std::string claim, const NamedNumber& one,
                   const std::vector<NamedNumber>& others) {
  const auto above = CountAbove(others, one.value);
  return {std::move(claim),
          Grade(above == static_cast<std::ptrdiff_t>(others.size()), above > 0),
          Listed({one}) + "; against " + Listed(others) + "."};
}

Claim OnPar(std::string claim, const NamedNumber& one,
            const NamedNumber& other) {
  constexpr double kMuch = 1.25, kLittle = 0.002;
  const double bound = std::max(kMuch * other.value, other.value + kLittle);
  return {std::move(claim),
          Grade(one.value <= bound, one.value <= 2 * other.value),
          Listed({one, other}) + "."};
}

Claim AllAbove(std::string claim, const std::vector<NamedNumber>& numbers,
               double bound) {
  const auto above = CountAbove(numbers, bound);
  return {
      std::move(claim),
      Grade(above == static_cast<std::ptrdiff_t>(numbers.size()), above > 0),
      Listed(numbers) + "."};
}

Claim NoneAbove(std::string claim, const std::vector<NamedNumber>& numbers,
                double bound) {
  const auto above = CountAbove(numbers, bound);
  return {
      std::move(claim),
      Grade(above == 0, above < static_cast<std::ptrdiff_t>(numbers.size())),
      Listed(numbers) + "."};
}

Claim Agrees(std::string claim, const std::vector<Compared>& numbers,
             double tolerance) {
  size_t agree = 0;
  std::string list;
  for (const Compared& number : numbers) {
    const bool same = std::abs(number.found - number.claimed) <= tolerance;
    agree += same ? 1 : 0;
    list += (list.empty() ? "" : "; ") + number.name + ": claimed " +
            Number(number.claimed, 6) + ", found " + Number(number.found, 6);
  }
  return {std::move(claim), Grade(agree == numbers.size(), agree > 0),
          list + "."};
}

Claim DipsThenRises(std::string claim, const std::vector<double>& losses) {
  const double first = losses.front(), last = losses.back();
  const double highest = *std::max_element(losses.begin(), losses.end());
  const bool dips = std::any_of(losses.begin(), losses.end(),
                                [&](double loss) { return loss < first; }) &&
                    losses[1] < first;
  const bool rises = highest > 1.5 * std::max(first, last);
  return {std::move(claim), Grade(dips && rises, dips || rises),
          "The loss starts at " + Number(first, 3) + ", is " +
              Number(losses[1], 3) + " at the next point, and " +
              Number(highest, 3) + " at the highest."};
}

}  // namespace rebasin::lab
