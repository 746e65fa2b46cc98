#include "io/publish.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;

// Cannot give the name `refused` to a file, nor exchange two if it is not
// `modern`.
class RefusingSystem : public System {
 public:
  RefusingSystem(std::string refused, bool modern)
      : refused_(std::move(refused)), modern_(modern) {}

  int Rename(const char* from, const char* to, bool replace) const override {
    return Refuses(to) ? Fail(EIO) : System::Rename(from, to, replace);
  }
  int Exchange(const char* a, const char* b) const override {
    if (!modern_) return Fail(EINVAL);
    return Refuses(b) ? Fail(EIO) : System::Exchange(a, b);
  }

 private:
  bool Refuses(const char* path) const {
    return std::filesystem::path(path).filename() == refused_;
  }
  static int Fail(int error) {
    errno = error;
    return -1;
  }

  std::string refused_;
  bool modern_;
};

class PublishTogetherTest : public ::testing::Test {
 protected:
  std::unique_ptr<AtomicFile> New(const std::string& name,
                                  const System& system) {
    auto file = std::make_unique<AtomicFile>(
        dir_ / name, AtomicFileOptions{.force = true, .system = &system});
    file->Write(std::as_bytes(std::span(std::string_view("new"))));
    file->Finish();
    return file;
  }
  void Publish(const System& system) {
    std::vector<std::unique_ptr<AtomicFile>> parts;
    for (const char* name : {"1", "2"}) parts.push_back(New(name, system));
    PublishTogether(parts, *New("head", system), /*sync=*/true);
  }
  void WriteOld() {
    for (const char* name : {"1", "2", "head"}) dir_.Write(name, "old");
  }
  // What is in the folder, as NAME=CONTENT.
  std::vector<std::string> Found() {
    std::vector<std::string> found = dir_.Files();
    for (std::string& name : found) name += "=" + ReadAll(dir_ / name);
    return found;
  }

  TempDir dir_;
};

TEST_F(PublishTogetherTest, ReplacesAllOfThemAndLeavesNothingElse) {
  for (const bool modern : {true, false}) {
    WriteOld();
    Publish(RefusingSystem("", modern));
    EXPECT_THAT(Found(), ElementsAre("1=new", "2=new", "head=new"));
  }
}

TEST_F(PublishTogetherTest, NeedsNoOldFiles) {
  Publish(RefusingSystem("", true));
  EXPECT_THAT(Found(), ElementsAre("1=new", "2=new", "head=new"));
}

TEST_F(PublishTogetherTest, OldFilesComeBackIfAnyOfThemFails) {
  for (const char* refused : {"1", "2", "head"}) {
    WriteOld();
    ExpectError(ErrorCode::kIo, {refused, "Input/output error"},
                [&] { Publish(RefusingSystem(refused, true)); });
    EXPECT_THAT(Found(), ElementsAre("1=old", "2=old", "head=old"));
  }
}

TEST_F(PublishTogetherTest, NothingStaysIfThereWasNothing) {
  ExpectError(ErrorCode::kIo, {"head"},
              [&] { Publish(RefusingSystem("head", true)); });
  EXPECT_THAT(Found(), ElementsAre());
}

// Then the old head would lead to what is not there.
TEST_F(PublishTogetherTest, WithoutExchangeReplacedFilesAreGone) {
  WriteOld();
  ExpectError(ErrorCode::kIo, {"2"},
              [&] { Publish(RefusingSystem("2", false)); });
  EXPECT_THAT(Found(), ElementsAre("2=old"));
}

}  // namespace
}  // namespace rebasin
