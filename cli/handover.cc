// Executes rebasin-nn in place of rebasin.

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "cli/networks.h"
#include "cli/openblas.h"
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

// These libraries read their settings when they are loaded, before main.
void PrepareEnvironment() {
  // OpenMP's threads spin while they wait, which makes two busy processes ten
  // times slower than one.
  setenv("OMP_WAIT_POLICY", "PASSIVE", /*overwrite=*/0);
  PrepareOpenBlas();
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
