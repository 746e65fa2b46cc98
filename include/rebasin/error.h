// The one exception type of this library.
//
// Bad input of any kind (a damaged file, models that do not fit each other, an
// impossible option) throws Error. Its message is one line that names the file,
// tensor or field, and says what was expected and what was found. Its hint, if
// there is one, says what the user can do. Bugs are asserts, never Errors.
// Other exceptions come from the standard library only, as std::bad_alloc.
//
//   try {
//     const auto model = rebasin::Checkpoint::Open("a.safetensors");
//   } catch (const rebasin::Error& error) {
//     std::cerr << error.what() << "\n" << error.hint() << "\n";
//     return error.ExitCode();
//   }

#ifndef REBASIN_ERROR_H_
#define REBASIN_ERROR_H_

#include <stdexcept>
#include <string>
#include <string_view>

namespace rebasin {

// What kind of error it is.
enum class ErrorCode {
  kUsage,        // an argument or option without a valid meaning
  kBadInput,     // a file breaks the rules of its format
  kUnsupported,  // valid input that this library cannot handle
  kMismatch,     // inputs that do not fit each other
  kIo,           // the operating system reported an error
  kLimit,        // larger or deeper than a documented limit
  kStopped,      // Run::stop asked the operation to stop
};

class Error : public std::runtime_error {
 public:
  // Escape text that comes from a file: `message` must be safe to print (see
  // Printable).
  Error(ErrorCode code, const std::string& message, std::string hint = "");

  ErrorCode code() const { return code_; }
  // What the user can do about it; may be empty.
  const std::string& hint() const { return hint_; }
  // The exit code of the command line for this error: 2 usage, 3 bad input or
  // unsupported, 4 mismatch, 5 I/O, 6 limit, 130 stopped.
  int ExitCode() const;

 private:
  ErrorCode code_;
  std::string hint_;
};

// Returns `text` in a form that is safe to print on a terminal. Control
// characters, invalid UTF-8 and direction marks become escapes; text longer
// than `max_bytes` is shortened in the middle. Every name that comes from a
// file goes through this before it is printed.
std::string Printable(std::string_view text, size_t max_bytes = 200);

// Returns Printable(text) in double quotes, with the quotes inside escaped.
std::string Quoted(std::string_view text);

}  // namespace rebasin

#endif  // REBASIN_ERROR_H_
