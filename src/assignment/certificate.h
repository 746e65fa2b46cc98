// The proof that a matching is optimal.

#ifndef REBASIN_ASSIGNMENT_CERTIFICATE_H_
#define REBASIN_ASSIGNMENT_CERTIFICATE_H_

#include "assignment/problem.h"

namespace rebasin::assignment {

// Returns the result for a complete matching, with its certificate. Only the
// prices are taken as given: row duals are recomputed, so that the bound is
// valid for any input.
Assignment Certify(const Problem& problem, const Matching& matching,
                   std::vector<double> prices);

}  // namespace rebasin::assignment

#endif  // REBASIN_ASSIGNMENT_CERTIFICATE_H_
