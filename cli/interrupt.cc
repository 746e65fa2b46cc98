#include "cli/interrupt.h"

#include <csignal>

namespace rebasin::cli {
namespace {

volatile std::sig_atomic_t asked = 0;

void Note(int signal) {
  asked = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard()
    : interrupt_(std::signal(SIGINT, Note)),
      terminate_(std::signal(SIGTERM, Note)) {}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, interrupt_);
  std::signal(SIGTERM, terminate_);
}

bool Interrupted() { return asked != 0; }

int InterruptedExitCode() { return 128 + asked; }

}  // namespace rebasin::cli
