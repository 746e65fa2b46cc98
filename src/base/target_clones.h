#ifndef REBASIN_BASE_TARGET_CLONES_H_
#define REBASIN_BASE_TARGET_CLONES_H_

// Place before a function with plain loops: compiles it for each given
// instruction set ("avx2", ..., "default"), and the loader selects the best
// one. For loops that the compiler vectorises well; explicit vectors use
// Highway.
//
// Other processors get the plain function. So do builds with sanitizers,
// because the thread sanitizer instruments the selecting function, which runs
// before the sanitizer is initialised.
#if defined(__x86_64__) && !defined(REBASIN_SANITIZED)
#define REBASIN_TARGET_CLONES(...) __attribute__((target_clones(__VA_ARGS__)))
#else
#define REBASIN_TARGET_CLONES(...)
#endif

#endif  // REBASIN_BASE_TARGET_CLONES_H_
