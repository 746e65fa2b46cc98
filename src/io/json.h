// JSON as it may come from anybody: strict, bounded, and precise about where
// it is wrong.
//
// Refused as Error(kBadInput): a byte order mark, comments, NaN and Infinity,
// duplicate keys, invalid UTF-8, lone surrogate escapes, NUL bytes, numbers
// that overflow a double, anything after the value. Refused as Error(kLimit):
// text that is longer, deeper or richer than JsonLimits.

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
  // Values and keys together. A value takes many times its text in memory, so
  // the length alone bounds nothing.
  int64_t values = 5'000'000;
};

// JSON text and where it comes from, for messages.
struct JsonText {
  std::string_view text;
  std::string source;  // printable: usually Quoted(path)
  // If not negative, the text lies at this offset of a binary file and
  // positions are told as offsets in that file, else as line and column.
  int64_t file_offset = -1;
};

// Sees the values of a JSON text one by one, without a tree. Duplicate keys
// are the visitor's business.
class JsonVisitor {
 public:
  virtual ~JsonVisitor() = default;
  virtual void StartObject() = 0;
  virtual void EndObject() = 0;
  virtual void StartArray() = 0;
  virtual void EndArray() = 0;
  virtual void Key(std::string& key) = 0;  // may be moved from
  virtual void String(std::string& value) = 0;
  // A number written without sign, point and exponent, below 2^64.
  virtual void Unsigned(uint64_t value) = 0;
  // Any other number, true, false or null.
  virtual void Other(const nlohmann::json& value) = 0;

 protected:
  // Throws an Error that says where the reader is.
  [[noreturn]] void Fail(ErrorCode code, const std::string& what,
                         const std::string& hint = "") const;

 private:
  friend class JsonReader;
  const class JsonReader* reader_ = nullptr;
};

void VisitJson(const JsonText& text, const JsonLimits& limits,
               JsonVisitor& visitor);

// The whole text as a tree. Objects are ordered by key. Whole numbers that
// exceed 64 bits become doubles.
nlohmann::json ParseJson(const JsonText& text, const JsonLimits& limits = {});
nlohmann::json ReadJsonFile(const std::filesystem::path& path,
                            const JsonLimits& limits = {});

}  // namespace rebasin

#endif  // REBASIN_IO_JSON_H_
