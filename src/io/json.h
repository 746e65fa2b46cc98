// Reads JSON from untrusted sources: strict, with limits, and with exact
// positions in errors.
//
// Throws Error(kBadInput) for a byte order mark, comments, NaN and Infinity,
// duplicate keys, invalid UTF-8, lone surrogate escapes, NUL bytes, numbers
// that overflow a double, and anything after the value. Throws Error(kLimit)
// for text that exceeds JsonLimits.

#ifndef REBASIN_IO_JSON_H_
#define REBASIN_IO_JSON_H_

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "rebasin/error.h"

namespace rebasin {

struct JsonLimits {
  int64_t bytes = 100'000'000;
  int depth = 64;
  // Values and keys together. A value takes many times its text in memory, so a
  // limit on the length is not enough.
  int64_t values = 5'000'000;
};

// JSON text and its source, for messages.
struct JsonText {
  std::string_view text;
  std::string source;  // printable: usually Quoted(path)
  // If not negative, the text starts at this offset of a binary file, and
  // positions are reported as offsets in that file; otherwise as line and
  // column.
  int64_t file_offset = -1;
};

// Receives the values of a JSON text one by one, without a tree. Must check
// duplicate keys itself.
class JsonVisitor {
 public:
  virtual ~JsonVisitor() = default;
  virtual void StartObject() = 0;
  virtual void EndObject() = 0;
  virtual void StartArray() = 0;
  virtual void EndArray() = 0;
  virtual void Key(std::string& key) = 0;  // may be moved from
  virtual void String(std::string& value) = 0;
  // A number below 2^64 without sign, point and exponent.
  virtual void Unsigned(uint64_t value) = 0;
  // Any other number, true, false or null.
  virtual void Other(const nlohmann::json& value) = 0;

 protected:
  // Throws an Error with the current position.
  [[noreturn]] void Fail(ErrorCode code, const std::string& what,
                         const std::string& hint = "") const;

 private:
  friend class JsonReader;
  const class JsonReader* reader_ = nullptr;
};

void VisitJson(const JsonText& text, const JsonLimits& limits,
               JsonVisitor& visitor);

// Parses the whole text to a tree. Objects are ordered by key. Integers of more
// than 64 bits become doubles.
nlohmann::json ParseJson(const JsonText& text, const JsonLimits& limits = {});
nlohmann::json ReadJsonFile(const std::filesystem::path& path,
                            const JsonLimits& limits = {});

}  // namespace rebasin

#endif  // REBASIN_IO_JSON_H_
