// Verdicts on claims: each function checks one kind of claim against
// measurements. A claim that holds in parts is mixed. AtSize then tells apart
// what was measured at the size that the claim speaks of, and at a smaller one.

#ifndef REBASIN_LAB_VERDICTS_H_
#define REBASIN_LAB_VERDICTS_H_

#include <string>
#include <vector>

#include "report/document.h"

namespace rebasin::lab {

struct NamedNumber {
  std::string name;
  double value = 0;
};

// Barriers that differ by less count as equal.
inline constexpr double kNegligibleBarrier = 0.02;

// The verdict for networks that fall short of those that the claim speaks of in
// `shortened` ("10 of 100 epochs"; empty: not at all). A favourable result
// stays one, and the finding names the size. All others become "not tested at
// this size".
Claim AtSize(Claim claim, const std::string& shortened);

// "Matching removes the barrier": supported if the best of `matched` is at most
// a tenth of the naive barrier or below `negligible`, mixed if it is at most
// half. Without a naive barrier there is nothing to test.
Claim BarrierVanishes(std::string claim, double naive,
                      const std::vector<NamedNumber>& matched,
                      double negligible = kNegligibleBarrier);

// "They have this order, the first is the lowest": supported if true, up to
// ties within `tolerance` of the larger and `negligible`; mixed if the first is
// the lowest.
Claim InThisOrder(std::string claim,
                  const std::vector<NamedNumber>& lowest_first,
                  double tolerance = 0.02, double negligible = 0);

// "It falls as x grows": supported if the last is below half of the first and
// no step rises by more than `slack` of the first; mixed if the last is below
// the first.
Claim Falls(std::string claim, const std::string& x_name,
            const std::vector<double>& x, const std::vector<double>& y,
            double slack = 0.1);

// "One is lower than all others"; mixed if it is lower than some.
Claim LowerThanAll(std::string claim, const NamedNumber& one,
                   const std::vector<NamedNumber>& others);

// "One is as low as the other": supported up to a quarter or 0.002 more, mixed
// up to twice as much.
Claim OnPar(std::string claim, const NamedNumber& one,
            const NamedNumber& other);

// "It stays above": supported if all are above `bound`, not supported if none
// is.
Claim AllAbove(std::string claim, const std::vector<NamedNumber>& numbers,
               double bound);

// "It never exceeds": supported if none is above `bound`, not supported if all
// are.
Claim NoneAbove(std::string claim, const std::vector<NamedNumber>& numbers,
                double bound);

// "These numbers": supported if all agree within `tolerance`, mixed if some
// do.
struct Compared {
  std::string name;
  double claimed = 0, found = 0;
};
Claim Agrees(std::string claim, const std::vector<Compared>& numbers,
             double tolerance);

// "It first falls and then rises above the ends", for losses along a line;
// mixed if only one of them happens.
Claim DipsThenRises(std::string claim, const std::vector<double>& losses);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_VERDICTS_H_
