#include "git/stored_file.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "git/lfs_pointer.h"
#include "git/lfs_store.h"
#include "io/atomic_file.h"
#include "io/file.h"
#include "io/process.h"
#include "io/sha256.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kLfs = "lfs";

// The name of LFS objects in messages if no path is known.
constexpr const char* kNoName = "model";

// The third of the fields PATH, "filter", VALUE, each terminated by a zero
// byte.
std::string FilterAttribute(const std::string& path) {
  const ProgramAnswer answer = AskProgram(
      {"git", "check-attr", "-z", "filter", "--", path}, {.quiet = true});
  if (answer.exit_code != 0 || answer.text.empty()) return "";
  std::string_view fields = answer.text;
  fields.remove_suffix(1);
  const std::string value(fields.substr(fields.rfind('\0') + 1));
  const bool named =
      value != "unspecified" && value != "unset" && value != "set";
  return named ? value : "";
}

// Like git, ignores a filter that is not configured in this clone.
bool IsConfigured(const std::string& filter) {
  for (const char* kind : {"clean", "smudge", "process"}) {
    const std::string key = "filter." + filter + "." + kind;
    if (RunProgram({"git", "config", "--get", key}, {.quiet = true}) == 0) {
      return true;
    }
  }
  return false;
}

std::string FilterOf(const std::string& path) {
  if (path.empty()) return "";
  std::string filter = FilterAttribute(path);
  if (filter.empty() || filter == kLfs || IsConfigured(filter)) return filter;
  return "";
}

// Quotes a word for the shell.
std::string ShellWord(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

// Runs a program with its output redirected to an existing file.
int RunInto(const std::vector<std::string>& words, const fs::path& input,
            TemporaryFile& file) {
  const FileDescriptor target(file.TakeDescriptor());
  return RunProgram(
      words, {.input = input, .output = [&](std::span<const std::byte> bytes) {
                WriteFully(System::Default(), target.get(), bytes, file.path());
              }});
}

[[noreturn]] void FailFilter(const std::string& what, ErrorCode code) {
  throw Error(code, what, "the lines above say why");
}

// Stores the bytes as a blob and returns its name.
std::string BlobOf(const fs::path& file,
                   const std::vector<std::string>& options) {
  std::vector<std::string> words = {"git", "hash-object", "-w"};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back("--stdin");
  ProgramAnswer answer = AskProgram(words, {.input = file});
  if (answer.exit_code != 0) {
    FailFilter("git hash-object failed", ErrorCode::kIo);
  }
  if (answer.text.ends_with('\n')) answer.text.pop_back();
  return answer.text;
}

std::string DigestOf(const std::vector<std::string>& words,
                     const fs::path& input) {
  Sha256 sum;
  const int code = RunProgram(
      words, {.input = input,
              .output = [&](std::span<const std::byte> b) { sum.Add(b); }});
  return code == 0 ? sum.Finish() : "";
}

std::string DigestOf(const fs::path& file) {
  return Sha256Of(MappedFile::Open(file)->bytes());
}

}  // namespace

StoredPath::StoredPath(std::string path)
    : path_(std::move(path)), filter_(FilterOf(path_)) {}

std::string StoredPath::Hint(const std::string& command) const {
  if (path_.empty()) return command;
  const std::string word = ShellWord(path_);
  return command + "; then git checkout --merge -- " + word + " && git add " +
         word;
}

bool StoredPath::UsesLfs(const fs::path& version) const {
  if (!filter_.empty()) return filter_ == kLfs;
  return ReadLfsPointer(version, "ours").has_value();
}

Content StoredPath::Read(const fs::path& version,
                         const std::string& origin) const {
  if (ReadLfsPointer(version, origin)) return Fetch(version, origin);
  if (filter_.empty() || filter_ == kLfs) return Content(version);
  return Smudge(version);
}

std::unique_ptr<TemporaryFile> StoredPath::NewFile(const fs::path& version) {
  return std::make_unique<TemporaryFile>(version);
}

// Existing objects are used in place, because models are large.
Content StoredPath::Fetch(const fs::path& version,
                          const std::string& origin) const {
  const LfsPointer pointer = *ReadLfsPointer(version, origin);
  const fs::path object = LfsObjectPath(pointer);
  if (!pointer.extended && !object.empty() && IsRegularFile(object)) {
    CheckLfsObject(object, pointer, origin);
    return Content(object);
  }
  if (!HasGitLfs()) {
    throw Error(ErrorCode::kUnsupported,
                origin + " is a Git LFS pointer and git lfs cannot be run",
                Hint("install git-lfs and run git lfs install && git lfs "
                     "fetch --all"));
  }
  auto file = NewFile(version);
  const int code =
      RunInto({"git", "lfs", "smudge", "--", path_.empty() ? kNoName : path_},
              version, *file);
  // With GIT_LFS_SKIP_SMUDGE git-lfs returns the pointer.
  if (code != 0 || ReadLfsPointer(file->path(), origin)) {
    throw Error(ErrorCode::kUnsupported,
                origin + " is a Git LFS pointer, and its object " +
                    pointer.oid + " (" + std::to_string(pointer.size) +
                    " bytes) is neither stored here nor could it be fetched",
                Hint("git lfs fetch --all"));
  }
  if (!pointer.extended) CheckLfsObject(file->path(), pointer, origin);
  return Content(std::move(file));
}

// Uses a blob, so that git itself runs the filter, of whatever kind.
Content StoredPath::Smudge(const fs::path& version) const {
  const std::string blob = BlobOf(version, {"--no-filters"});
  auto file = NewFile(version);
  const int code = RunInto(
      {"git", "cat-file", "--filters", "--path=" + path_, blob}, {}, *file);
  if (code != 0) {
    FailFilter("the filter " + Quoted(filter_) + " failed",
               ErrorCode::kUnsupported);
  }
  return Content(std::move(file));
}

bool StoredPath::Converts(const fs::path& version) const {
  const bool lfs = UsesLfs(version);
  if (lfs && !HasGitLfs()) {
    throw Error(
        ErrorCode::kUnsupported,
        "the merged model must be stored in Git LFS, but git lfs cannot be run",
        Hint("install git-lfs and run git lfs install"));
  }
  return lfs || !filter_.empty();
}

void StoredPath::Store(const fs::path& content, const fs::path& version) const {
  UsesLfs(version) ? StoreInLfs(content, version)
                   : StoreFiltered(content, version);
}

void StoredPath::StoreInLfs(const fs::path& content,
                            const fs::path& version) const {
  const std::string name = path_.empty() ? kNoName : path_;
  const ProgramAnswer answer =
      AskProgram({"git", "lfs", "clean", "--", name}, {.input = content});
  if (answer.exit_code != 0) {
    FailFilter("git lfs clean failed to store the merged model",
               ErrorCode::kIo);
  }
  const auto pointer = ParseLfsPointer(answer.text, "what git lfs clean wrote");
  if (!pointer) FailFilter("git lfs clean wrote no pointer", ErrorCode::kIo);
  const auto pointer_file = NewFile(version);
  WriteWholeFile(pointer_file->path(), answer.text, /*force=*/true);
  if (pointer->extended) {
    if (DigestOf({"git", "lfs", "smudge", "--", name}, pointer_file->path()) !=
        DigestOf(content)) {
      FailFilter("Git LFS does not restore the merged model", ErrorCode::kIo);
    }
  } else {
    CheckLfsObject(content, *pointer, "the merged model");
    CheckLfsObject(LfsObjectPath(*pointer), *pointer, "the merged model");
  }
  WriteWholeFile(version, answer.text, /*force=*/true);
}

void StoredPath::StoreFiltered(const fs::path& content,
                               const fs::path& version) const {
  const std::string blob = BlobOf(content, {"--path=" + path_});
  if (DigestOf({"git", "cat-file", "--filters", "--path=" + path_, blob}, {}) !=
      DigestOf(content)) {
    throw Error(
        ErrorCode::kMismatch,
        "the filter " + Quoted(filter_) + " does not restore what it stored",
        "a filter for models must keep every byte");
  }
  AtomicFile file(version, {.force = true});
  const int code = RunProgram(
      {"git", "cat-file", "blob", blob},
      {.output = [&](std::span<const std::byte> b) { file.Write(b); }});
  if (code != 0) FailFilter("git cat-file failed", ErrorCode::kIo);
  file.Finish();
  file.Publish();
}

}  // namespace rebasin
