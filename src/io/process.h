// Runs other programs without a shell, so arguments need no quoting.

#ifndef REBASIN_IO_PROCESS_H_
#define REBASIN_IO_PROCESS_H_

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace rebasin {

struct ProcessOptions {
  std::filesystem::path input = {};  // connected to stdin; empty: nothing
  bool quiet = false;                // discards stderr
  // Receives stdout piece by piece. If it throws, the program is terminated.
  std::function<void(std::span<const std::byte>)> output = {};
};

// The exit code if a program could not be started.
inline constexpr int kNotStarted = 127;

// Runs a program, found by $PATH, and returns its exit code: 128 + n if signal
// n killed it. Working directory and environment are inherited. The program
// gets SIGTERM if this process dies first. Throws Error(kIo) if the system
// cannot create a process or open the input file.
int RunProgram(const std::vector<std::string>& words,
               const ProcessOptions& options = {});

// Runs a program and returns what it writes to stdout. Throws Error(kLimit) if
// that is more than a megabyte.
struct ProgramAnswer {
  int exit_code = 0;
  std::string text;
};
ProgramAnswer AskProgram(const std::vector<std::string>& words,
                         ProcessOptions options = {});

}  // namespace rebasin

#endif  // REBASIN_IO_PROCESS_H_
