#include "cli/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

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
    value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  }
  if (chdir(folder.path().c_str()) == 0) execv(argv[0], argv.data());
  _exit(127);
}

double Seconds(const struct timeval& time) {
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

Program::Program(const TempDir& folder, const std::vector<std::string>& args,
                 const Environment& environment, const std::string& file) {
  std::vector<std::string> words = {file};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  child_ = fork();
  if (child_ == 0) Execute(folder, output_, argv, environment);
}

Program::~Program() {
  if (child_ <= 0) return;
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

bool Program::WaitUntilItSays(const std::string& text) const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (std::chrono::steady_clock::now() < end) {
    if (ReadAll(output_ / "err").find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

bool Program::WaitUntilItStops() const {
  siginfo_t info = {};
  // Left to be waited for, as Wait() does.
  EXPECT_EQ(waitid(P_PID, static_cast<id_t>(child_), &info,
                   WSTOPPED | WEXITED | WNOWAIT),
            0);
  return info.si_code == CLD_STOPPED;
}

void Program::Signal(int signal) const { kill(child_, signal); }

Outcome Program::Wait() {
  constexpr int64_t kKibibyte = 1024;
  int status = 0;
  struct rusage used;
  EXPECT_EQ(wait4(child_, &status, 0, &used), child_);
  child_ = -1;
  return {.exit_code =
              WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .out = ReadAll(output_ / "out"),
          .err = ReadAll(output_ / "err"),
          .seconds = Seconds(used.ru_utime) + Seconds(used.ru_stime),
          .peak_bytes = used.ru_maxrss * kKibibyte};
}

Outcome RunIn(const TempDir& folder, const std::vector<std::string>& args,
              const Environment& environment) {
  return Program(folder, args, environment).Wait();
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
