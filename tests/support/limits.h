// A limit of the system on this process, and on those that it starts, lowered
// for a while.

#ifndef REBASIN_TESTS_SUPPORT_LIMITS_H_
#define REBASIN_TESTS_SUPPORT_LIMITS_H_

#include <sys/resource.h>

namespace rebasin {

class LowerLimit {
 public:
  // As RLIMIT_NOFILE.
  LowerLimit(int resource, rlim_t limit) : resource_(resource) {
    getrlimit(resource_, &before_);
    const rlimit lower = {limit, before_.rlim_max};
    setrlimit(resource_, &lower);
  }
  ~LowerLimit() { setrlimit(resource_, &before_); }
  LowerLimit(const LowerLimit&) = delete;
  LowerLimit& operator=(const LowerLimit&) = delete;

 private:
  int resource_;
  rlimit before_;
};

}  // namespace rebasin

#endif  // REBASIN_TESTS_SUPPORT_LIMITS_H_
