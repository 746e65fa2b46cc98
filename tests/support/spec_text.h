// Spec and alignment files, made of the texts of their parts.

#ifndef REBASIN_TESTS_SUPPORT_SPEC_TEXT_H_
#define REBASIN_TESTS_SUPPORT_SPEC_TEXT_H_

#include <string>

namespace rebasin {

// Groups such as "P":2 and tensors such as "w":["P","3"].
inline std::string SpecText(const std::string& groups,
                            const std::string& tensors) {
  return R"({"format":"rebasin-symmetry","version":1,"groups":{)" + groups +
         R"(},"tensors":{)" + tensors + "}}";
}

// Permutations such as "P":[1,0].
inline std::string AlignmentText(const std::string& fingerprint,
                                 const std::string& spec,
                                 const std::string& permutations) {
  return R"({"format":"rebasin-alignment","version":1,"fingerprint":")" +
         fingerprint + R"(","symmetry":)" + spec + R"(,"permutations":{)" +
         permutations + "}}";
}

}  // namespace rebasin

#endif  // REBASIN_TESTS_SUPPORT_SPEC_TEXT_H_
