// How much evidence a random element of a group gives: with n units, a random
// permutation has a given form by chance in one of n! cases.

#ifndef REBASIN_VERIFY_ELEMENTS_H_
#define REBASIN_VERIFY_ELEMENTS_H_

#include "rebasin/symmetry.h"

namespace rebasin {

// log(500): a wrong symmetry passes by chance in one of 500 cases.
inline constexpr double kEnoughEvidence = 6.2;

// log(n!)
double EvidenceOf(const Group& group);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_ELEMENTS_H_
