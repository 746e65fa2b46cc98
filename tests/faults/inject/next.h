// The function that a preloaded one of the same name stands in front of.

#ifndef REBASIN_TESTS_FAULTS_INJECT_NEXT_H_
#define REBASIN_TESTS_FAULTS_INJECT_NEXT_H_

#include <dlfcn.h>

#include "faults/inject/plan.h"

namespace faults {

template <typename Function>
Function* Next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// The result of `call`, or -1 if it is to fail.
template <typename File, typename Call>
auto Unless(const char* kind, File file, const Call& call) {
  if (Concerns(file) && Meets(kind) == Fate::kError)
    return decltype(call())(-1);
  return call();
}

// The same for calls that move bytes and are told how many.
template <typename Call>
auto UnlessShort(const char* kind, int fd, unsigned long bytes,
                 const Call& call) {
  const Fate fate = Concerns(fd) ? Meets(kind) : Fate::kNothing;
  if (fate == Fate::kError) return decltype(call(bytes))(-1);
  const bool less = fate == Fate::kShortCount && bytes > 1;
  return call(less ? bytes / 2 : bytes);
}

}  // namespace faults

// In a function: the one behind it.
#define NEXT(name) static auto* const next = faults::Next(&name, #name)

#endif  // REBASIN_TESTS_FAULTS_INJECT_NEXT_H_
