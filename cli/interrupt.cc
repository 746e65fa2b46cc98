#include "cli/interrupt.h"

#include <csignal>
#include <iterator>

#include "io/temporary_files.h"

namespace rebasin::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t asked = 0;

void Note(int signal) {
  asked = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    before_[i] =
        std::signal(kSignals[i], IsIgnored(kSignals[i]) ? SIG_IGN : Note);
  }
}

InterruptGuard::~InterruptGuard() {
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    std::signal(kSignals[i], before_[i]);
  }
}

bool Interrupted() { return asked != 0; }

int InterruptedExitCode() { return 128 + asked; }

}  // namespace rebasin::cli
