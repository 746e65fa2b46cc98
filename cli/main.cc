// rebasin: merging models modulo their symmetries.

#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <vector>

#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/context.h"
#include "cli/interrupt.h"
#include "cli/networks.h"
#include "cli/renames.h"
#include "cli/suggest.h"
#include "io/system.h"
#include "io/temporary_files.h"
#include "rebasin/error.h"
#include "rebasin/version.h"

namespace rebasin::cli {
namespace {

constexpr int kLimitExceeded = 6;
constexpr int kInternalError = 70;
constexpr int kMaxThreads = 1024;

constexpr const char* kFooter = R"(
Examples:
  rebasin demo play                      two small models to play with
  rebasin diff play/a.safetensors play/b.safetensors
  rebasin merge play/a.safetensors play/b.safetensors \
      -o play/merged.safetensors

Exit codes: 0 ok, 1 a negative answer, 2 usage, 3 bad input, 4 models do not
fit each other, 5 I/O, 6 limit, 70 internal error.)";

void AddCommonOptions(CLI::App& app, Context& context) {
  const std::string group = "Common options";
  app.add_flag("--json", context.json, "Print the result as JSON")
      ->group(group);
  app.add_flag("--quiet", context.quiet, "Suppress warnings and progress")
      ->group(group);
  app.add_flag("--force", context.force, "Replace output files that exist")
      ->group(group);
  app.add_flag("--dry-run", context.dry_run,
               "Check everything and print the plan; write nothing")
      ->group(group);
  app.add_option("--key", context.file.key,
                 "Path of the tensors in a PyTorch file, such as state_dict")
      ->group(group)
      ->type_name("NAME");
  app.add_flag("--skip-unsupported", context.file.skip_unsupported,
               "Skip tensors of PyTorch, NumPy and GGUF files that are sparse, "
               "quantised or of another unsupported kind")
      ->group(group);
  app.add_flag("--npy-bf16", context.file.npy_bf16,
               "Read arrays of 2-byte voids (V2) in NumPy files as bfloat16")
      ->group(group);
  app.add_flag("--follow-symlinks", context.file.follow_symlinks,
               "Follow shards that are symbolic links to other folders")
      ->group(group);
  app.add_option("--rename", context.renames,
                 "Read the tensor OLD of the models under the name NEW; may "
                 "be given more than once")
      ->group(group)
      ->type_name("OLD=NEW")
      ->allow_extra_args(false);
  app.add_option("--names", context.names_file,
                 "The same for each line of a file; rebasin inspect "
                 "--suggest-names makes one")
      ->group(group)
      ->type_name("FILE");
  app.add_option("--threads", context.threads_text,
                 "Threads to use; default: one for each core")
      ->group(group)
      ->type_name("N");
  app.add_option("--seed", context.seed_text, "Random seed; default 0")
      ->group(group)
      ->type_name("N");
}

void ParseCommonOptions(Context& context) {
  if (!context.threads_text.empty()) {
    context.threads = static_cast<int>(
        ParseInteger("--threads", context.threads_text, 1, kMaxThreads));
  }
  if (!context.seed_text.empty()) context.seed = ParseSeed(context.seed_text);
  context.file.renames = ParseRenames(context.renames);
  if (!context.names_file.empty()) {
    const auto more = ReadRenames(context.names_file);
    auto& all = context.file.renames;
    all.insert(all.end(), more.begin(), more.end());
  }
}

int RunCommand(const std::vector<Command>& commands, Context& context) {
  ParseCommonOptions(context);
  for (const Command& command : commands) {
    if (command.app->parsed()) return command.run();
  }
  return 0;
}

// An empty value is usually a shell variable that is not set.
void CheckNoneEmpty(std::span<const char* const> args) {
  for (size_t i = 1; i < args.size(); ++i) {
    const std::string_view word = args[i], before = args[i - 1];
    const bool is_value = word.starts_with("--") && word.ends_with("=");
    if (!word.empty() && !is_value) continue;
    const std::string_view option = is_value ? word.substr(0, word.size() - 1)
                                    : i > 1 && before.starts_with("-")
                                        ? before
                                        : "an argument";
    throw Error(ErrorCode::kUsage, Printable(option) + " has an empty value");
  }
}

int PrintHelp(const CLI::App& program, const CLI::Success& help) {
  const int code = program.exit(help);
  std::cout.flush();
  if (!std::cout) ThrowIo("write the help to", "stdout", errno);
  return code;
}

int Run(std::span<const char* const> args, const Networks* networks) {
  CLI::App program("Merges neural networks modulo their symmetries.",
                   "rebasin");
  Context context;
  context.networks = networks;
  context.arguments.assign(args.begin(), args.end());
  program.set_version_flag("--version", "rebasin " REBASIN_VERSION);
  program.set_help_flag("-h,--help", "Print this help");
  program.require_subcommand(1);
  program.footer(kFooter);
  AddCommonOptions(program, context);
  std::vector<Command> commands;
  for (const auto add :
       {AddInspect, AddMatch, AddApply, AddMerge, AddMergeDriver, AddConvert,
        AddDiff, AddVerify, AddTrain, AddEval, AddInterpolate, AddPlane,
        AddCompare, AddLab, AddZoo, AddDemo}) {
    commands.push_back(add(program, context));
    AddCommonOptions(*commands.back().app, context);
  }
  CheckNoneEmpty(args);
  try {
    program.parse(static_cast<int>(args.size()), args.data());
  } catch (const CLI::Success& help) {
    return PrintHelp(program, help);
  } catch (const CLI::ParseError& error) {
    throw ExplainUsage(program, args.subspan(args.empty() ? 0 : 1),
                       error.what());
  }
  return RunCommand(commands, context);
}

// Reports without allocating.
int ReportNoMemory() {
  std::fputs("rebasin: error: out of memory\n", stderr);
  return kLimitExceeded;
}

int RunAndReport(std::span<const char* const> args, const Networks* networks) {
  try {
    return Run(args, networks);
  } catch (const Error& error) {
    // No message: the user asked for the stop.
    if (error.code() == ErrorCode::kStopped) return InterruptedExitCode();
    PrintError(error.what(), error.hint());
    return error.ExitCode();
  } catch (const std::bad_alloc&) {
    return ReportNoMemory();
  } catch (const std::exception& error) {
    PrintError("internal error: " + Printable(error.what()));
  } catch (...) {
    PrintError("internal error");
  }
  return kInternalError;
}

// Runs for exceptions that cannot be caught. Destructors of other libraries may
// allocate (those of JSON values do), and without memory the program ends here.
// Other exceptions are bugs and dump core.
[[noreturn]] void HandleTerminate() {
  RemoveRegisteredFiles();
  try {
    if (std::current_exception()) throw;
  } catch (const std::bad_alloc&) {
    _exit(ReportNoMemory());
  } catch (...) {
  }
  std::abort();
}

}  // namespace

void RequireNetworks(const Context& context) {
  if (context.networks == nullptr) ExecWithNetworks(context);
}

int RunProgram(std::span<const char* const> arguments,
               const Networks* networks) {
  ExitCleanlyOnSignals();
  std::set_terminate(HandleTerminate);
  // A closed pipe is an ordinary write error, so that temporary files are
  // removed.
  std::signal(SIGPIPE, SIG_IGN);
  return RunAndReport(arguments, networks);
}

}  // namespace rebasin::cli
