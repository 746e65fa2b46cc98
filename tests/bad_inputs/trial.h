// The program on a file that may be bad: what must hold for every such run.

#ifndef REBASIN_TESTS_BAD_INPUTS_TRIAL_H_
#define REBASIN_TESTS_BAD_INPUTS_TRIAL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace rebasin::testing {

inline constexpr int64_t kMebibyte = int64_t{1} << 20;

struct Trial {
  std::vector<std::string> args = {};
  std::string file = {};  // of the folder; messages must name it
  int exit_code = 0;
  std::vector<std::string> says = {};  // parts of warnings, error and hint
  std::string output = {};             // the file that success leaves behind
  // What it may take besides the files and what the program always takes.
  // With sanitizers more is allowed.
  int64_t memory = 64 * kMebibyte;
  double seconds = 10;
};

// Runs the program in the folder and expects: the exit code; for an error one
// line, after warnings perhaps and before a hint, that names the file; no bytes
// in it that a terminal would act on; nothing on stdout and no other file than
// before; for success a result and the output alone; and that little time and
// memory were taken. The output is removed.
void ExpectTrial(const TempDir& folder, const Trial& trial);

// The size of a set that is costly to look at: smaller with sanitizers, which
// make everything slow.
int64_t Many(int64_t count);

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_BAD_INPUTS_TRIAL_H_
