// How much a random element of a group says: chance would make the same choice
// in one of n! cases.

#ifndef REBASIN_VERIFY_ELEMENTS_H_
#define REBASIN_VERIFY_ELEMENTS_H_

#include "rebasin/symmetry.h"

namespace rebasin {

// Wrong symmetries are missed in one of 500 cases: log(500).
inline constexpr double kEnoughEvidence = 6.2;

// log(n!)
double EvidenceOf(const Group& group);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_ELEMENTS_H_
