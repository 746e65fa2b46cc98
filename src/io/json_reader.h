// The JSON parser: strict, in one pass, without a tree. Written here because
// the events of the library that builds trees take twice as long, and reading a
// file starts with its header.

#ifndef REBASIN_IO_JSON_READER_H_
#define REBASIN_IO_JSON_READER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/json.h"
#include "rebasin/error.h"

namespace rebasin {

// Passes the values of a text to a visitor, and enforces the limits. Throws
// what VisitJson throws.
class JsonReader {
 public:
  JsonReader(const JsonText& text, const JsonLimits& limits,
             JsonVisitor& visitor);
  ~JsonReader();
  JsonReader(const JsonReader&) = delete;
  JsonReader& operator=(const JsonReader&) = delete;

  void Run();

  // Throws with the position of the last byte read, where the rejected item
  // ends.
  [[noreturn]] void Fail(ErrorCode code, const std::string& what,
                         const std::string& hint = "") const;

 private:
  [[noreturn]] void FailSyntax(const std::string& expected) const;

  void SkipSpaces();
  bool Take(char wanted);
  void Expect(char wanted);

  void Count();
  void Open(bool object);
  void Close();
  void ReadNext();
  void ReadKey();
  void ReadValue();
  void ReadWord(std::string_view word, const nlohmann::json& value);

  void ReadString();
  void ReadPlain();
  void ReadCharacter();
  void ReadEscape();
  void ReadUnicodeEscape();
  uint32_t ReadFourDigits();

  void ReadNumber();
  bool ReadFraction();
  void ReadDigits();
  void PassWhole(std::string_view number);
  void PassDouble(std::string_view number);
  void PassScalar(const nlohmann::json& value);

  const JsonText& text_;
  const JsonLimits& limits_;
  JsonVisitor& visitor_;
  const char* at_;
  const char* const end_;
  int64_t values_ = 0;
  std::vector<bool> open_;  // open containers: objects or arrays
  bool fresh_ = false;      // the innermost one is still empty
  std::string string_;
};

}  // namespace rebasin

#endif  // REBASIN_IO_JSON_READER_H_
