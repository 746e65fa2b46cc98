#include "git/lfs_store.h"

#include "io/file.h"
#include "io/process.h"
#include "io/sha256.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

// Returns the output of git without the final newline; empty if git fails.
std::string AskGit(std::vector<std::string> words) {
  words.insert(words.begin(), "git");
  ProgramAnswer answer = AskProgram(words, {.quiet = true});
  if (answer.exit_code != 0) return "";
  if (answer.text.ends_with('\n')) answer.text.pop_back();
  return answer.text;
}

// git-lfs resolves relative settings against the folder of the repository,
// which linked work trees share.
fs::path StoreFolder() {
  const fs::path common = AskGit({"rev-parse", "--git-common-dir"});
  if (common.empty()) return {};
  const fs::path storage =
      AskGit({"config", "--type=path", "--get", "lfs.storage"});
  return common / (storage.empty() ? "lfs" : storage);
}

}  // namespace

bool HasGitLfs() {
  return RunProgram({"git", "lfs", "version"}, {.quiet = true}) == 0;
}

fs::path LfsObjectPath(const LfsPointer& pointer) {
  const fs::path store = StoreFolder();
  if (store.empty()) return {};
  return store / "objects" / pointer.oid.substr(0, 2) /
         pointer.oid.substr(2, 2) / pointer.oid;
}

void CheckLfsObject(const fs::path& file, const LfsPointer& pointer,
                    const std::string& origin) {
  const auto mapped = MappedFile::Open(file);
  const auto size = static_cast<int64_t>(mapped->bytes().size());
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorCode::kBadInput,
                "the LFS object of " + origin + " is damaged: " + what + " (" +
                    Quoted(file.string()) + ")",
                "remove that file and run git lfs fetch --all");
  };
  if (size != pointer.size) {
    fail("it has " + std::to_string(size) + " bytes, its pointer says " +
         std::to_string(pointer.size));
  }
  const std::string found = Sha256Of(mapped->bytes());
  mapped->CheckUnchanged();
  if (found != pointer.oid) {
    fail("its SHA-256 is " + found + ", its pointer says " + pointer.oid);
  }
}

}  // namespace rebasin
