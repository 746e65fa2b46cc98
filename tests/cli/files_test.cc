// Files and the operating system: what cannot be read or written.

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/program.h"

namespace rebasin {
namespace {

using testing::ModelFolder;
using testing::Outcome;

std::vector<std::string> MergeTo(const std::string& output) {
  return {"merge", "a.safetensors", "b.safetensors", "--align", "none",
          "-o",    output};
}

// The descriptor that keeps it.
int MakeSocket(const std::filesystem::path& path) {
  struct sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  EXPECT_LT(path.native().size(), sizeof address.sun_path);
  path.native().copy(address.sun_path, sizeof address.sun_path - 1);
  const int made = socket(AF_UNIX, SOCK_STREAM, 0);
  EXPECT_EQ(
      bind(made, reinterpret_cast<struct sockaddr*>(&address), sizeof address),
      0);
  return made;
}

TEST(Files, F01_InputsThatCannotBeRead) {
  const ModelFolder folder;
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  std::filesystem::create_directory(folder / "empty");
  const int socket_there = MakeSocket(folder / "socket");
  for (const char* input :
       {"missing.safetensors", "fifo", "/dev/zero", "empty", "socket"}) {
    const Outcome run = folder.Run({"inspect", input});
    EXPECT_EQ(run.exit_code, 5) << input << run.err;
    EXPECT_TRUE(run.says(input)) << run.err;
    EXPECT_EQ(run.out, "");
  }
  close(socket_there);
}

TEST(Files, F01_InputsWithoutPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const ModelFolder folder;
  std::filesystem::permissions(folder / "a.safetensors",
                               std::filesystem::perms::none);
  const Outcome run = folder.Run({"inspect", "a.safetensors"});
  EXPECT_EQ(run.exit_code, 5) << run.err;
  EXPECT_TRUE(run.says("ermission")) << run.err;
}

TEST(Files, F02_OutputFolderIsMissing) {
  const ModelFolder folder;
  const Outcome run = folder.Run(MergeTo("missing/m.safetensors"));
  EXPECT_EQ(run.exit_code, 5) << run.err;
}

TEST(Files, F03_OutputExists) {
  const ModelFolder folder;
  folder.Write("m.safetensors", "mine");
  const Outcome run = folder.Run(MergeTo("m.safetensors"));
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_TRUE(run.says("--force")) << run.err;
  EXPECT_EQ(ReadAll(folder / "m.safetensors"), "mine");
  auto forced = MergeTo("m.safetensors");
  forced.push_back("--force");
  EXPECT_EQ(folder.Run(forced).exit_code, 0);
  EXPECT_NE(ReadAll(folder / "m.safetensors"), "mine");
}

TEST(Files, F03_AlignmentExists) {
  const ModelFolder folder;
  folder.Write("x.json", "mine");
  const Outcome run = folder.Run({"match", "a.safetensors", "b.safetensors",
                                  "--spec", "mlp", "-o", "x.json"});
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_EQ(ReadAll(folder / "x.json"), "mine");
}

TEST(Files, F05_OutputIsAFolderOrADevice) {
  const ModelFolder folder;
  std::filesystem::create_directory(folder / "d");
  EXPECT_EQ(folder.Run(MergeTo("d")).exit_code, 5);
  EXPECT_EQ(folder.Run(MergeTo("/dev/null")).exit_code, 0);
  EXPECT_EQ(folder.Run(MergeTo("/dev/full")).exit_code, 5);
}

TEST(Files, F05_OutputIsALink) {
  const ModelFolder folder;
  folder.Write("target", "mine");
  std::filesystem::create_symlink("target", folder / "link");
  EXPECT_EQ(folder.Run(MergeTo("link")).exit_code, 2);
  auto forced = MergeTo("link");
  forced.push_back("--force");
  EXPECT_EQ(folder.Run(forced).exit_code, 0);
  EXPECT_FALSE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(ReadAll(folder / "target"), "mine");
}

TEST(Files, TheOutputMayReplaceAnInput) {
  const ModelFolder folder;
  const Outcome run =
      folder.Run({"merge", "a.safetensors", "b.safetensors", "--align", "none",
                  "--lambda", "1", "-o", "a.safetensors", "--force"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(ReadAll(folder / "a.safetensors"),
            ReadAll(folder / "b.safetensors"));
}

TEST(Files, F13_OddNames) {
  std::string too_long(5000, 'x');
  too_long += ".safetensors";
  const ModelFolder folder;
  for (const std::string name : {"with space.safetensors",
                                 "new\nline.safetensors", "\xFF.safetensors"}) {
    const Outcome run = folder.Run(MergeTo(name));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(folder.Run({"inspect", name, "--json"}).exit_code, 0);
  }
  EXPECT_EQ(folder.Run(MergeTo("./-m.safetensors")).exit_code, 0);
  EXPECT_EQ(folder.Run({"inspect", "--", "-m.safetensors"}).exit_code, 0);
  EXPECT_EQ(folder.Run(MergeTo(too_long)).exit_code, 5);
}

TEST(Files, F18_OutputModeFollowsTheUmask) {
  const ModelFolder folder;
  const mode_t old = umask(027);
  folder.Run(MergeTo("m.safetensors"));
  umask(old);
  struct stat status;
  ASSERT_EQ(stat((folder / "m.safetensors").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

}  // namespace
}  // namespace rebasin
