// The proof that a matching is optimal.

#ifndef REBASIN_ASSIGNMENT_CERTIFICATE_H_
#define REBASIN_ASSIGNMENT_CERTIFICATE_H_

#include "assignment/problem.h"

namespace rebasin::assignment {

// The result for a complete matching. Takes only the prices on trust: the row
// duals are computed anew, so that the bound holds whatever came before.
Assignment Certify(const Problem& problem, const Matching& matching,
                   std::vector<double> prices);

}  // namespace rebasin::assignment

#endif  // REBASIN_ASSIGNMENT_CERTIFICATE_H_
