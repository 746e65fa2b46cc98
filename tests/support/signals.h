// What a signal does to this process, and to those that it starts meanwhile:
// SIG_DFL, however the tests were started themselves, or SIG_IGN, as by nohup.

#ifndef REBASIN_TESTS_SUPPORT_SIGNALS_H_
#define REBASIN_TESTS_SUPPORT_SIGNALS_H_

#include <csignal>

namespace rebasin {

class SignalDoes {
 public:
  SignalDoes(int signal, void (*what)(int))
      : signal_(signal), before_(std::signal(signal, what)) {}
  ~SignalDoes() { std::signal(signal_, before_); }
  SignalDoes(const SignalDoes&) = delete;
  SignalDoes& operator=(const SignalDoes&) = delete;

 private:
  int signal_;
  void (*before_)(int);
};

}  // namespace rebasin

#endif  // REBASIN_TESTS_SUPPORT_SIGNALS_H_
