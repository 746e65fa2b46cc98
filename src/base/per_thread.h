// One object for each thread and type.
//
// Not thread_local: the C library aborts the process if it has no memory for
// registering the destructor of such an object, which cannot be caught.

#ifndef REBASIN_BASE_PER_THREAD_H_
#define REBASIN_BASE_PER_THREAD_H_

#include <pthread.h>

#include <memory>
#include <new>

namespace rebasin {

// Returns the calling thread's T, which is created by the first call and
// destroyed when the thread ends. Throws std::bad_alloc.
template <typename T>
T& PerThread() {
  static const pthread_key_t key = [] {
    pthread_key_t made;
    const auto destroy = [](void* mine) { delete static_cast<T*>(mine); };
    if (pthread_key_create(&made, destroy) != 0) throw std::bad_alloc();
    return made;
  }();
  if (void* mine = pthread_getspecific(key)) return *static_cast<T*>(mine);
  auto fresh = std::make_unique<T>();
  if (pthread_setspecific(key, fresh.get()) != 0) throw std::bad_alloc();
  return *fresh.release();
}

}  // namespace rebasin

#endif  // REBASIN_BASE_PER_THREAD_H_
