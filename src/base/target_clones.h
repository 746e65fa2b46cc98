#ifndef REBASIN_BASE_TARGET_CLONES_H_
#define REBASIN_BASE_TARGET_CLONES_H_

// Before a function with plain loops: compile it once for each of the given
// instruction sets ("avx2", ..., "default"), and let the loader choose the best
// that the processor has. For loops that a compiler vectorises well; where the
// vectors are written out, use Highway.
//
// Other processors get the plain function. So do the sanitizers: the thread
// sanitizer instruments the choosing function too, which runs before the
// sanitizer itself is there.
#if defined(__x86_64__) && !defined(REBASIN_SANITIZED)
#define REBASIN_TARGET_CLONES(...) __attribute__((target_clones(__VA_ARGS__)))
#else
#define REBASIN_TARGET_CLONES(...)
#endif

#endif  // REBASIN_BASE_TARGET_CLONES_H_
