// Executes rebasin-nn in place of rebasin.

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

// Beside this program after a build, or where it is installed.
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
              "this command needs networks to run, and there is no " +
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
  // OpenBLAS recognises processors by name and uses SSE3 kernels for unknown
  // ones.
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

}  // namespace

void ExecWithNetworks(const Context& context) {
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

}  // namespace rebasin::cli
