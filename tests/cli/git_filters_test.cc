// Models that git stores in another form: in Git LFS, or by way of a filter.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "cli/program.h"
#include "cli/repository.h"
#include "support/limits.h"

namespace rebasin {
namespace {

namespace fs = std::filesystem;
using testing::Changed;
using testing::Difference;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::Program;
using testing::Repository;
using testing::RepositoryOptions;
using ::testing::StartsWith;
using testing::Words;

constexpr const char* kPointerStart = "version https://git-lfs.github.com/";

RepositoryOptions Lfs() { return {.lfs = true}; }

// What git stores is a pointer, and Git LFS has the object.
void ExpectStoredInLfs(const Repository& repository) {
  const std::string pointer =
      repository.Ask({"cat-file", "blob", "HEAD:./" + repository.file()});
  EXPECT_THAT(pointer, StartsWith(kPointerStart));
  repository.ExpectGit({"lfs", "fsck"});
  EXPECT_EQ(repository.Ask({"status", "--porcelain"}), "");
}

// Where the model of a branch lies, in the repository or a clone of it.
fs::path ObjectOf(const Repository& repository, const std::string& branch,
                  const std::string& clone = "") {
  const std::string pointer =
      repository.Ask({"cat-file", "blob", branch + ":net.safetensors"});
  const std::string oid = pointer.substr(pointer.find("sha256:") + 7, 64);
  return repository / (clone + ".git/lfs/objects") / oid.substr(0, 2) /
         oid.substr(2, 2) / oid;
}

void RemoveObjects(const Repository& repository) {
  fs::rename(repository / ".git/lfs/objects", repository / "aside");
}

// The repository with nothing left over in its work tree.
void ExpectNoFilesBut(const Repository& repository, const Words& wanted) {
  Words found;
  for (const auto& entry : fs::directory_iterator(repository.path())) {
    found.push_back(entry.path().filename());
  }
  EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(wanted));
}

TEST(GitLfs, G01_BranchesAreMerged) {
  const Repository repository(Lfs());
  repository.Part();
  repository.ExpectGit({"merge", "side"});
  repository.ExpectMerged();
  ExpectStoredInLfs(repository);
  ExpectNoFilesBut(repository, {".git", ".gitattributes", "net.safetensors"});
}

TEST(GitLfs, G01_CommitsArePickedRevertedAndRebased) {
  const Repository picked(Lfs());
  picked.Part();
  picked.ExpectGit({"cherry-pick", "side"});
  picked.ExpectMerged();
  ExpectStoredInLfs(picked);
  picked.ExpectGit({"commit", "-q", "--allow-empty", "-m", "nothing"});
  picked.ExpectGit({"revert", "--no-edit", "HEAD~2"});  // ours, before theirs
  EXPECT_LT(Difference(picked.Now(), Changed(picked.Theirs(), "fc2.bias", 0.5)),
            1e-6);
  ExpectStoredInLfs(picked);
  const Repository rebased(Lfs());
  rebased.Part();
  rebased.ExpectGit({"rebase", "-q", "side"});
  rebased.ExpectMerged();
  ExpectStoredInLfs(rebased);
}

TEST(GitLfs, PathsMayHoldQuotesSpacesAndDashes) {
  for (const char* file : {"-x.safetensors", "it's a \"net\".safetensors"}) {
    const Repository repository({.file = file, .lfs = true});
    repository.Part();
    repository.ExpectGit({"merge", "side"});
    repository.ExpectMerged();
    ExpectStoredInLfs(repository);
  }
}

TEST(GitLfs, LinkedWorkTreesShareTheObjects) {
  const Repository repository(Lfs());
  repository.Part();
  repository.ExpectGit(
      {"worktree", "add", "-q", "-b", "third", "tree", "main"});
  repository.ExpectGit({"-C", "tree", "merge", "side"});
  fs::copy_file(repository / "tree/net.safetensors",
                repository / "net.safetensors",
                fs::copy_options::overwrite_existing);
  repository.ExpectMerged();
}

TEST(GitLfs, ObjectsMayLieElsewhere) {
  const Repository repository(
      {.lfs = true, .setup = {"config", "lfs.storage", "elsewhere"}});
  repository.Part();
  EXPECT_TRUE(fs::exists(repository / ".git/elsewhere/objects"));
  repository.ExpectGit({"merge", "side"});
  repository.ExpectMerged();
}

TEST(GitLfs, G01_WithoutTheObjectsTheConflictSaysWhatToRun) {
  const Repository repository(Lfs());
  repository.Part();
  const std::string ours = ReadAll(repository / repository.file());
  RemoveObjects(repository);
  const Outcome run = repository.Git({"merge", "side"});
  EXPECT_EQ(run.exit_code, 1) << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr("hint: git lfs fetch --all; then git checkout "
                                 "--merge -- 'net.safetensors' && git add "
                                 "'net.safetensors'"));
  EXPECT_EQ(ReadAll(repository / repository.file()), ours);
  // As the hint says, but for the fetching.
  fs::remove_all(repository / ".git/lfs/objects");
  fs::rename(repository / "aside", repository / ".git/lfs/objects");
  repository.ExpectGit({"checkout", "--merge", "--", repository.file()});
  repository.ExpectMerged();
  repository.ExpectGit({"add", repository.file()});
  repository.ExpectGit({"commit", "-q", "-m", "merged"});
  ExpectStoredInLfs(repository);
}

// A clone that has fetched the branch, but not its objects.
TEST(GitLfs, G01_MissingObjectsAreFetched) {
  const Repository repository(Lfs());
  repository.Part();
  const std::string url = "file://" + repository.path().string();
  ASSERT_EQ(
      repository
          .Git({"clone", "-q", url, "clone"}, {{"GIT_LFS_SKIP_SMUDGE", "1"}})
          .exit_code,
      0);
  const auto in_clone = [&](Words words) {
    words.insert(words.begin(), {"-C", "clone"});
    repository.ExpectGit(words);
  };
  in_clone({"lfs", "install", "--local"});
  in_clone({"config", "merge.rebasin.driver",
            "'" REBASIN_PROGRAM "' merge-driver %O %A %B -- %P"});
  in_clone({"lfs", "pull"});
  EXPECT_FALSE(fs::exists(ObjectOf(repository, "side", "clone/")));
  in_clone({"merge", "origin/side"});
  fs::copy_file(repository / "clone/net.safetensors",
                repository / "net.safetensors",
                fs::copy_options::overwrite_existing);
  repository.ExpectMerged();
}

TEST(GitLfs, NothingIsFetchedAgainstTheUsersWill) {
  const Repository repository(Lfs());
  repository.Part();
  repository.ExpectGit({"config", "remote.origin.url", "."});
  RemoveObjects(repository);
  const Outcome run =
      repository.Git({"merge", "side"}, {{"GIT_LFS_SKIP_SMUDGE", "1"}});
  EXPECT_EQ(run.exit_code, 1) << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr("git lfs fetch --all"));
}

TEST(GitLfs, DamagedObjectsAreNoticed) {
  const Repository repository(Lfs());
  repository.Part();
  const fs::path object = ObjectOf(repository, "side");
  std::string bytes = ReadAll(object);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  fs::permissions(object, fs::perms::owner_all);
  const std::string name = fs::relative(object, repository.path());
  for (const std::string& damaged : {bytes, bytes.substr(1)}) {
    repository.Write(name, damaged);
    const Outcome run = repository.Git({"merge", "side"});
    EXPECT_EQ(run.exit_code, 1) << run.out << run.err;
    EXPECT_THAT(run.err, HasSubstr("the LFS object of theirs is damaged"));
    repository.ExpectGit({"merge", "--abort"});
  }
}

// From before the models went into LFS.
TEST(GitLfs, OneSideMayBeTheModelItself) {
  const Repository repository(Lfs());
  repository.Part();
  repository.ExpectGit({"checkout", "-q", "side"});
  const std::string theirs = ReadAll(repository / repository.file());
  repository.Write("raw", theirs);
  const std::string blob =
      repository.Ask({"hash-object", "-w", "--no-filters", "raw"});
  fs::remove(repository / "raw");
  repository.ExpectGit(
      {"update-index", "--cacheinfo", "100644," + blob + ",net.safetensors"});
  repository.ExpectGit({"commit", "-q", "-m", "not in LFS"});
  repository.ExpectGit({"checkout", "-q", "-f", "main"});
  repository.ExpectGit({"merge", "side"});
  repository.ExpectMerged();
  ExpectStoredInLfs(repository);
}

// The pointers of both branches as git hands them over, and the driver run by
// itself.
class Pointers : public Repository {
 public:
  Pointers() : Repository(Lfs()) {
    Part();
    WritePointer("ours", "main");
    WritePointer("theirs", "side");
    WritePointer("base", "main~1");
    before_ = ReadAll(*this / "ours");
  }

  Program Start(const testing::Environment& environment) const {
    return Program(*this, {"merge-driver", "base", "ours", "theirs", file()},
                   environment);
  }

  // Our side as it was, and no files that were not there before.
  void ExpectUntouched(const Words& more = {}) const {
    EXPECT_EQ(ReadAll(*this / "ours"), before_);
    Words files = {".git", ".gitattributes", file(), "ours", "theirs", "base"};
    files.insert(files.end(), more.begin(), more.end());
    ExpectNoFilesBut(*this, files);
  }

 private:
  void WritePointer(const std::string& name,
                    const std::string& revision) const {
    Write(name, Ask({"cat-file", "blob", revision + ":" + file()}) + "\n");
  }

  std::string before_;
};

// Programs are found in a folder where git-lfs is not.
TEST(GitLfs, WithoutGitLfsTheConflictSaysSo) {
  const Pointers pointers;
  fs::create_directory(pointers / "bin");
  fs::create_symlink("/usr/bin/git", pointers / "bin/git");
  const Outcome run =
      pointers.Start({{"PATH", (pointers / "bin").string()}}).Wait();
  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_THAT(run.err, HasSubstr("git lfs cannot be run"));
  EXPECT_THAT(run.err, HasSubstr("install git-lfs"));
  pointers.ExpectUntouched({"bin"});
}

TEST(GitLfs, G04_FullDisksEndTheMerge) {
  const Pointers pointers;
  Outcome run;
  {
    const LowerLimit limit(RLIMIT_FSIZE, 300);
    run = pointers.Start({}).Wait();
  }
  EXPECT_EQ(run.exit_code, 129) << run.err;
  pointers.ExpectUntouched();
}

// A git-lfs that takes very long, and says when it is ended. It starts with a
// pause: git ends the programs that it has started, but for a moment does not
// know of them yet.
TEST(GitLfs, G05_SignalsEndTheProgramThatFetches) {
  const Pointers pointers;
  RemoveObjects(pointers);
  fs::create_directory(pointers / "bin");
  const fs::path program =
      pointers.Write("bin/git-lfs",
                     "#!/bin/sh\n[ \"$1\" = version ] && exit\n"
                     "trap 'echo ended >bin/said; exit 1' TERM\n"
                     "sleep 0.3\necho fetching >&2\n"
                     "for i in $(seq 1200); do sleep 0.05; done\n");
  fs::permissions(program, fs::perms::owner_all);
  const char* path = std::getenv("PATH");
  Program run = pointers.Start(
      {{"PATH", (pointers / "bin").string() + ":" + (path ? path : "")}});
  ASSERT_TRUE(run.WaitUntilItSays("fetching"));
  run.Signal(SIGTERM);
  EXPECT_EQ(run.Wait().exit_code, 128 + SIGTERM);
  for (int i = 0; i < 600 && !fs::exists(pointers / "bin/said"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(fs::exists(pointers / "bin/said"));
  pointers.ExpectUntouched({"bin", "aside"});
}

TEST(GitFilters, ModelsGoThroughTheFilterBothWays) {
  Repository repository(
      {.attributes = "*.safetensors filter=z merge=rebasin -text\n"});
  repository.ExpectGit({"config", "filter.z.clean", "gzip -nc"});
  repository.ExpectGit({"config", "filter.z.smudge", "gzip -dc"});
  repository.ExpectGit({"add", "--renormalize", "."});
  repository.ExpectGit({"commit", "-q", "-m", "packed"});
  repository.ExpectGit({"branch", "-f", "side"});
  repository.Part();
  repository.ExpectGit({"merge", "side"});
  repository.ExpectMerged();
  EXPECT_THAT(repository.Git({"cat-file", "blob", "HEAD:net.safetensors"}).out,
              StartsWith("\x1f\x8b"));
  EXPECT_EQ(repository.Ask({"status", "--porcelain"}), "");
}

TEST(GitFilters, AFilterThatLosesBytesIsAConflict) {
  Repository repository(
      {.attributes = "*.safetensors filter=z merge=rebasin -text\n"});
  repository.ExpectGit({"config", "filter.z.smudge", "cat"});
  repository.Part();
  const std::string ours = ReadAll(repository / repository.file());
  repository.ExpectGit({"config", "filter.z.clean", "head -c 1000"});
  const Outcome run = repository.Git({"merge", "side"});
  EXPECT_NE(run.exit_code, 0) << run.out;
  EXPECT_THAT(run.err, HasSubstr("does not restore what it stored"));
}

}  // namespace
}  // namespace rebasin
