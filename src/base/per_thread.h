// Memory that a thread keeps for itself.
//
// Not thread_local: the C library ends the whole process if it finds no memory
// to note that such an object has a destructor, and nobody can catch that.

#ifndef REBASIN_BASE_PER_THREAD_H_
#define REBASIN_BASE_PER_THREAD_H_

#include <pthread.h>

#include <memory>
#include <new>

namespace rebasin {

// The calling thread's T, made when it first asks and destroyed when it ends;
// one for each type. Throws std::bad_alloc.
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
