#include "io/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "io/file.h"
#include "io/system.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

constexpr size_t kMaxText = size_t{1} << 20;

struct Descriptors {
  FileDescriptor input, output, errors;  // errors: invalid if inherited
};

// Runs in the new process, where only system calls are allowed.
[[noreturn]] void ExecProgram(char* const* words,
                              const Descriptors& descriptors, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kNotStarted);  // the parent died before
  // New programs inherit ignored signals; git and its helpers rely on the
  // defaults.
  for (const int number : {SIGPIPE, SIGXFSZ}) signal(number, SIG_DFL);
  dup2(descriptors.input.get(), STDIN_FILENO);
  dup2(descriptors.output.get(), STDOUT_FILENO);
  if (descriptors.errors.valid()) {
    dup2(descriptors.errors.get(), STDERR_FILENO);
  }
  execvp(words[0], words);
  _exit(kNotStarted);
}

// A child process, which is terminated unless it was waited for.
class Child {
 public:
  Child(const std::vector<std::string>& words, const Descriptors& descriptors) {
    std::vector<char*> arguments;
    for (const std::string& word : words) {
      arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    const pid_t parent = getpid();
    id_ = fork();
    if (id_ == 0) ExecProgram(arguments.data(), descriptors, parent);
    if (id_ < 0) ThrowIo("start", words[0], errno);
  }
  ~Child() {
    if (id_ <= 0) return;
    kill(id_, SIGTERM);
    Wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int Wait() {
    int status = 0;
    Uninterrupted([&] { return waitpid(id_, &status, 0); });
    id_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t id_ = -1;
};

FileDescriptor Opened(const std::filesystem::path& path, int flags) {
  FileDescriptor file(OpenFile(path, flags | O_CLOEXEC));
  if (!file.valid()) ThrowIo("open", path, errno);
  return file;
}

void PassOn(int fd, const std::string& program, const ProcessOptions& options) {
  std::vector<char> buffer(size_t{1} << 16);
  for (;;) {
    const ssize_t count = Uninterrupted([&] {
      return System::Default().Read(fd, buffer.data(), buffer.size());
    });
    if (count < 0) ThrowIo("read the output of", program, errno);
    if (count == 0) return;
    if (!options.output) continue;
    options.output(
        std::as_bytes(std::span(buffer)).first(static_cast<size_t>(count)));
  }
}

}  // namespace

int RunProgram(const std::vector<std::string>& words,
               const ProcessOptions& options) {
  std::array<int, 2> ends = {-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) ThrowIo("start", words[0], errno);
  const FileDescriptor from(ends[0]);
  Descriptors descriptors;
  descriptors.output = FileDescriptor(ends[1]);
  descriptors.input =
      Opened(options.input.empty() ? "/dev/null" : options.input, O_RDONLY);
  if (options.quiet) descriptors.errors = Opened("/dev/null", O_WRONLY);
  Child child(words, descriptors);
  descriptors.output.Close();  // otherwise the pipe would never end
  PassOn(from.get(), words[0], options);
  return child.Wait();
}

ProgramAnswer AskProgram(const std::vector<std::string>& words,
                         ProcessOptions options) {
  ProgramAnswer answer;
  options.output = [&](std::span<const std::byte> bytes) {
    answer.text.append(reinterpret_cast<const char*>(bytes.data()),
                       bytes.size());
    if (answer.text.size() <= kMaxText) return;
    throw Error(ErrorCode::kLimit, Quoted(words[0]) + " writes more than " +
                                       std::to_string(kMaxText) + " bytes");
  };
  answer.exit_code = RunProgram(words, options);
  return answer;
}

}  // namespace rebasin
