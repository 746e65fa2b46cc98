// What every command gets: the options that all share.

#ifndef REBASIN_CLI_CONTEXT_H_
#define REBASIN_CLI_CONTEXT_H_

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <string>

namespace rebasin::cli {

struct Context {
  bool json = false;
  bool quiet = false;
  bool force = false;
  bool dry_run = false;
  bool follow_symlinks = false;
  std::string threads_text;
  std::string seed_text;
  // From the texts, once they are parsed.
  int threads = 0;
  uint64_t seed = 0;
};

struct Command {
  CLI::App* app = nullptr;
  std::function<int()> run;  // returns the exit code
};

// One function a file.
Command AddInspect(CLI::App& program, Context& context);
Command AddMatch(CLI::App& program, Context& context);
Command AddApply(CLI::App& program, Context& context);
Command AddMerge(CLI::App& program, Context& context);
Command AddVerify(CLI::App& program, Context& context);
Command AddDiff(CLI::App& program, Context& context);
Command AddDemo(CLI::App& program, Context& context);
Command AddZoo(CLI::App& program, Context& context);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_CONTEXT_H_
