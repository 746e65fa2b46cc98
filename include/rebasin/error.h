// Errors are values of the domain.
//
// Bad input of any kind (a broken file, models that do not fit each other, an
// impossible option) throws `Error`: one line that names the file, tensor or
// field and says what was expected and what was found, and a hint where there
// is something the user can do. Bugs are asserts, never Errors.

#ifndef REBASIN_ERROR_H_
#define REBASIN_ERROR_H_

#include <stdexcept>
#include <string>
#include <string_view>

namespace rebasin {

enum class ErrorCode {
  kUsage,        // an argument or option that cannot be meant
  kBadInput,     // corrupt: a file that breaks the rules of its format
  kUnsupported,  // well-formed, but outside what this program does
  kMismatch,     // inputs that do not fit each other
  kIo,           // the operating system refused
  kLimit,        // larger or deeper than a documented limit
  kStopped,      // the caller asked it to stop (Run::stop)
};

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, std::string hint = "");

  ErrorCode code() const { return code_; }
  // What the user can do about it; may be empty.
  const std::string& hint() const { return hint_; }
  // The process exit code that this kind of error stands for:
  // 2 usage, 3 bad input or unsupported, 4 mismatch, 5 I/O, 6 limit,
  // 130 stopped.
  int ExitCode() const;

 private:
  ErrorCode code_;
  std::string hint_;
};

// `text` as it may safely be shown on a terminal: control characters, invalid
// UTF-8 and direction marks become escapes; long text is shortened in the
// middle. Every name that comes from a file goes through this.
std::string Printable(std::string_view text, size_t max_bytes = 200);

// Printable(text) in double quotes, with quotes inside escaped.
std::string Quoted(std::string_view text);

}  // namespace rebasin

#endif  // REBASIN_ERROR_H_
