// An assertion that is active in every build type.

#ifndef REBASIN_FUZZ_FUZZ_CHECK_H_
#define REBASIN_FUZZ_FUZZ_CHECK_H_

#include <cstdio>
#include <cstdlib>

#define FUZZ_CHECK(condition)                                              \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                        \
    }                                                                      \
  } while (false)

#endif  // REBASIN_FUZZ_FUZZ_CHECK_H_
