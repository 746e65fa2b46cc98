#include "cli/output.h"

#include "io/atomic_file.h"
#include "io/file.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace fs = std::filesystem;

void CheckTextOutput(const std::filesystem::path& path, bool force) {
  const AtomicFile probe(path, {.force = force});
}

void CheckPageOutput(const std::string& path, bool force) {
  if (path.empty()) return;
  if (!path.ends_with(".html")) {
    throw Error(ErrorCode::kUsage, "cannot write a page to " + Quoted(path) +
                                       ": its name does not end with .html");
  }
  CheckTextOutput(path, force);
}

void WriteText(const std::filesystem::path& path, const std::string& text,
               bool force) {
  WriteWholeFile(path, text, force);
}

StateFile StateFileFor(const fs::path& path, bool resume, bool force,
                       Console& console) {
  const bool usual = path.extension() == ".safetensors";
  StateFile state{.path = path.parent_path() /
                          ((usual ? path.stem() : path.filename()).native() +
                           ".state.safetensors")};
  const bool exists = IsRegularFile(state.path);
  state.resume = resume && exists;
  if (resume && !exists) {
    console.Warn("there is no state to resume: starting anew");
  }
  if (exists && !resume && !force) {
    throw Error(
        ErrorCode::kUsage,
        "this work was interrupted before: " + Quoted(state.path.string()),
        "--resume goes on with it, --force starts anew");
  }
  return state;
}

}  // namespace rebasin::cli
