#include "cli/output.h"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "io/atomic_file.h"
#include "io/file.h"
#include "onnx/format.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace fs = std::filesystem;

namespace {

// The file of an argument: "--output=FILE" and "-oFILE" give "FILE".
std::string_view ValueOf(std::string_view argument) {
  if (!argument.starts_with("-")) return argument;
  if (!argument.starts_with("--")) {
    return argument.substr(std::min<size_t>(2, argument.size()));
  }
  const size_t equals = argument.find('=');
  return equals == argument.npos ? argument : argument.substr(equals + 1);
}

// Follows links. The file need not exist yet.
bool IsSameFile(const fs::path& x, const fs::path& y) {
  std::error_code ignored;
  if (x.empty()) return false;
  if (fs::equivalent(x, y, ignored)) return true;
  const auto whole = [&](const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(path, ignored), ignored);
  };
  return !whole(x).empty() && whole(x) == whole(y);
}

void CheckTextEnding(const fs::path& path) {
  if (!ModelFormats().IsModelEnding(path.extension().native())) return;
  throw Error(ErrorCode::kUsage, "cannot write a text to " +
                                     Quoted(path.native()) +
                                     ": its name is that of a model file");
}

}  // namespace

void CheckIsNoInput(const fs::path& path, const Context& context, int own) {
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) return;
  const auto count =
      std::count_if(context.arguments.begin() + 1, context.arguments.end(),
                    [&](const char* argument) {
                      return IsSameFile(ValueOf(argument), path);
                    });
  if (count <= own) return;
  throw Error(ErrorCode::kUsage,
              "the output " + Quoted(path.native()) +
                  " is a file that another argument names",
              "choose another name for the output");
}

void CheckTextOutput(const fs::path& path, const Context& context) {
  CheckTextEnding(path);
  CheckIsNoInput(path, context);
  const AtomicFile probe(path, {.force = context.force});
}

void CheckPageOutput(const std::string& path, const Context& context) {
  if (path.empty()) return;
  if (!path.ends_with(".html")) {
    throw Error(ErrorCode::kUsage, "cannot write a page to " + Quoted(path) +
                                       ": its name does not end with .html");
  }
  CheckTextOutput(path, context);
}

void WriteText(const std::filesystem::path& path, const std::string& text,
               bool force) {
  WriteWholeFile(path, text, force);
}

StateFile StateFileFor(const fs::path& path, bool resume, bool force,
                       Console& console) {
  const bool usual = path.extension() == ".safetensors";
  return StateFileAt(
      path.parent_path() / ((usual ? path.stem() : path.filename()).native() +
                            ".state.safetensors"),
      resume, force, console);
}

StateFile StateFileAt(const fs::path& path, bool resume, bool force,
                      Console& console) {
  StateFile state{.path = path};
  const bool exists = IsRegularFile(state.path);
  state.resume = resume && exists;
  if (resume && !exists) {
    console.Warn("there is no state to resume; starting from the beginning");
  }
  if (exists && !resume && !force) {
    throw Error(ErrorCode::kUsage,
                "there is the state of an interrupted run: " +
                    Quoted(state.path.string()),
                "--resume continues it, --force starts from the beginning");
  }
  return state;
}

}  // namespace rebasin::cli
