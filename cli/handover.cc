// How the small program becomes the large one.

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "cli/networks.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kProgram = "rebasin-nn";

// Beside this program where it was built, or where it was installed.
fs::path FindProgram() {
  std::error_code error;
  const fs::path folder =
      fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& path :
       {folder / kProgram,
        folder.parent_path() / "libexec/rebasin" / kProgram}) {
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  throw Error(ErrorCode::kUnsupported,
              "this command runs networks, and there is no " +
                  std::string(kProgram) + " beside this program",
              "build rebasin with -DREBASIN_NN=ON");
}

void SetUnlessSet(const char* name, const char* value) {
  setenv(name, value, /*overwrite=*/0);
}

// These libraries read their settings when they are loaded, before main.
void PrepareEnvironment() {
  // OpenMP's threads spin while they wait, which makes two busy processes ten
  // times slower than one.
  SetUnlessSet("OMP_WAIT_POLICY", "PASSIVE");
  // OpenBLAS knows processors by name, and takes those it has not heard of for
  // twenty years old.
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    SetUnlessSet("OPENBLAS_CORETYPE", "SKYLAKEX");
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    SetUnlessSet("OPENBLAS_CORETYPE", "HASWELL");
  }
#endif
}

[[noreturn]] void HandOver(const Context& context) {
  const fs::path program = FindProgram();
  PrepareEnvironment();
  std::vector<char*> arguments;
  for (const char* argument : context.arguments) {
    arguments.push_back(const_cast<char*>(argument));
  }
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  throw Error(ErrorCode::kIo, "cannot start " + Quoted(program.string()) +
                                  ": error " + std::to_string(errno));
}

// The other program knows the flags and the help.
Command AddStub(CLI::App& program, Context& context, const char* name,
                const char* description) {
  CLI::App* command = program.add_subcommand(name, description);
  command->set_help_flag();
  command->prefix_command();
  command->allow_extras();
  return {command, [&context]() -> int { HandOver(context); }};
}

}  // namespace

Command AddTrain(CLI::App& program, Context& context) {
  return AddStub(program, context, "train", kTrainDescription);
}

Command AddEval(CLI::App& program, Context& context) {
  return AddStub(program, context, "eval", kEvalDescription);
}

Command AddInterpolate(CLI::App& program, Context& context) {
  return AddStub(program, context, "interpolate", kInterpolateDescription);
}

Command AddPlane(CLI::App& program, Context& context) {
  return AddStub(program, context, "plane", kPlaneDescription);
}

Command AddCompare(CLI::App& program, Context& context) {
  return AddStub(program, context, "compare", kCompareDescription);
}

Command AddLab(CLI::App& program, Context& context) {
  return AddStub(program, context, "lab", kLabDescription);
}

// The small program needs nothing.
void PrepareProcess() {}

void NeedNetworks(const Context& context) { HandOver(context); }

// Nobody comes here: NeedNetworks never returned.
Repaired RepairWithData(const RepairRequest&, const Checkpoint&,
                        const DataFlags&, Console& console, Progress&) {
  HandOver(console.context());
}

FoundMatch MatchWithData(const MatchJob&, const Checkpoint&, const Checkpoint&,
                         const Structure&, Console& console, Progress&) {
  HandOver(console.context());
}

ManyStep StepWithData(const MatchJob&, const Checkpoint&, const Structure&,
                      Console& console, Progress&) {
  HandOver(console.context());
}

Judgement Judge(const JudgeRequest&, const DataFlags&, Console& console,
                Progress&) {
  HandOver(console.context());
}

void WriteMergePage(const MergePage&, const std::string&,
                    const Context& context) {
  HandOver(context);
}

VerifyReport VerifyOnData(const std::shared_ptr<const Graph>&,
                          const Checkpoint&, const Alignment&,
                          const OpenedData&, const Context& context) {
  HandOver(context);
}

}  // namespace rebasin::cli
