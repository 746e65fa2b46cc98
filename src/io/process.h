// Other programs, started without a shell: arguments reach them as they are.

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
  std::filesystem::path input = {};  // what it reads from stdin; empty: nothing
  bool quiet = false;                // what it says on stderr is dropped
  // Takes what it writes to stdout, piece by piece. If it throws, the program
  // is ended.
  std::function<void(std::span<const std::byte>)> output = {};
};

// The exit code of a program that could not be started.
inline constexpr int kNotStarted = 127;

// Runs a program, found by $PATH, until it ends, and returns its exit code:
// 128 + n if signal n killed it. The working directory and the environment are
// ours. It gets SIGTERM should this process die first. Throws Error(kIo) if the
// system refuses a process or the input file.
int RunProgram(const std::vector<std::string>& words,
               const ProcessOptions& options = {});

// The same for programs that say little: what they write to stdout. Throws
// Error(kLimit) beyond a megabyte.
struct ProgramAnswer {
  int exit_code = 0;
  std::string text;
};
ProgramAnswer AskProgram(const std::vector<std::string>& words,
                         ProcessOptions options = {});

}  // namespace rebasin

#endif  // REBASIN_IO_PROCESS_H_
