// Verdicts on claims: each function checks one kind of claim against
// measurements.

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

// "Matching removes the barrier": supported if the best of `matched` is at most
// a tenth of the naive barrier or below `negligible`, partly if it is at most
// half.
Claim BarrierVanishes(std::string claim, double naive,
                      const std::vector<NamedNumber>& matched,
                      double negligible = 0.02);

// "They have this order, the first is the lowest": supported if true, up to
// ties within `tolerance` of the larger; partly if the first is the lowest.
Claim InThisOrder(std::string claim,
                  const std::vector<NamedNumber>& lowest_first,
                  double tolerance = 0.02);

// "It falls as x grows": supported if the last is below half of the first and
// no step rises by more than `slack` of the first; partly if the last is below
// the first.
Claim Falls(std::string claim, const std::string& x_name,
            const std::vector<double>& x, const std::vector<double>& y,
            double slack = 0.1);

// "One is lower than all others".
Claim LowerThanAll(std::string claim, const NamedNumber& one,
                   const std::vector<NamedNumber>& others);

// "It stays above": supported if all are above `bound`, contradicted if none
// is.
Claim AllAbove(std::string claim, const std::vector<NamedNumber>& numbers,
               double bound);

// "It never exceeds": supported if none is above `bound`, contradicted if all
// are.
Claim NoneAbove(std::string claim, const std::vector<NamedNumber>& numbers,
                double bound);

// "These numbers": supported if all agree within `tolerance`, partly if some
// do.
struct Compared {
  std::string name;
  double claimed = 0, found = 0;
};
Claim Agrees(std::string claim, const std::vector<Compared>& numbers,
             double tolerance);

// "It first falls and then rises above the ends", for losses along a line.
Claim DipsThenRises(std::string claim, const std::vector<double>& losses);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_VERDICTS_H_
