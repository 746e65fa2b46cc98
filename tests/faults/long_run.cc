#include "faults/long_run.h"

#include <cstdio>
#include <cstdlib>

namespace rebasin::testing {

bool TriesEverything() { return std::getenv("REBASIN_FAULTS_ALL") != nullptr; }

int KillsOfEach() {
  const char* text = std::getenv("REBASIN_KILLS");
  return text == nullptr ? 10 : std::atoi(text);
}

void Report(const std::string& what, long count) {
  std::printf("tried: %s: %ld\n", what.c_str(), count);
}

}  // namespace rebasin::testing
