#include "cli/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rebasin::testing {
namespace {

namespace fs = std::filesystem;

void Redirect(const fs::path& file, int fd) {
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (opened < 0 || dup2(opened, fd) < 0) _exit(127);
}

[[noreturn]] void Execute(const TempDir& folder, const TempDir& output,
                          std::vector<char*>& argv,
                          const Environment& environment) {
  Redirect(output / "out", STDOUT_FILENO);
  Redirect(output / "err", STDERR_FILENO);
  for (const auto& [name, value] : environment) {
    setenv(name.c_str(), value.c_str(), 1);
  }
  if (chdir(folder.path().c_str()) == 0) execv(argv[0], argv.data());
  _exit(127);
}

}  // namespace

Outcome RunIn(const TempDir& folder, const std::vector<std::string>& args,
              const Environment& environment) {
  const TempDir output;
  std::vector<std::string> words = {REBASIN_PROGRAM};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) Execute(folder, output, argv, environment);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return {.exit_code =
              WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .out = ReadAll(output / "out"),
          .err = ReadAll(output / "err")};
}

ModelFolder::ModelFolder() {
  EXPECT_EQ(RunIn(*this, {"demo", "."}).exit_code, 0);
}

void ModelFolder::Save(const std::string& name, const Checkpoint& model) const {
  SaveCheckpoint(model, *this / name, {.force = true, .sync = false});
}

Checkpoint ModelFolder::Load(const std::string& name) const {
  return Checkpoint::Open(*this / name);
}

Checkpoint With(const Checkpoint& model, const Tensor& tensor) {
  std::vector<Tensor> tensors;
  for (const Tensor& old : model.tensors()) {
    if (old.name != tensor.name) tensors.push_back(old);
  }
  tensors.push_back(tensor);
  return Checkpoint(std::move(tensors), model.metadata());
}

}  // namespace rebasin::testing
