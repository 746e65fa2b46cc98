#include "io/json_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "base/utf8.h"
#include "io/json_text.h"

namespace rebasin {
namespace {

// Bytes that a string contains unescaped: ASCII except quotes, backslashes and
// control characters.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain = {};
  for (size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

bool IsPlain(char c) { return kPlain[static_cast<unsigned char>(c)]; }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The ranges of UTF-16 surrogates. A pair of escapes encodes one character; a
// lone surrogate is an error.
constexpr uint32_t kHighSurrogates = 0xD800, kLowSurrogates = 0xDC00,
                   kAfterSurrogates = 0xE000;

bool IsHighSurrogate(uint32_t code) {
  return code >= kHighSurrogates && code < kLowSurrogates;
}
bool IsLowSurrogate(uint32_t code) {
  return code >= kLowSurrogates && code < kAfterSurrogates;
}

void AppendUtf8(uint32_t code, std::string& text) {
  const auto continued = [&](int shift) {
    text += static_cast<char>(0x80 | (code >> shift & 0x3F));
  };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | code >> 6);
    continued(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | code >> 12);
    continued(6);
    continued(0);
  } else {
    text += static_cast<char>(0xF0 | code >> 18);
    continued(12);
    continued(6);
    continued(0);
  }
}

// The value of an exponent such as +7, limited to about 10^12.
int64_t PowerOf(std::string_view exponent) {
  constexpr int64_t kFar = 1'000'000'000'000;
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  int64_t power = 0;
  const auto read = std::from_chars(exponent.data(),
                                    exponent.data() + exponent.size(), power);
  if (read.ec != std::errc::result_out_of_range) {
    return std::clamp(power, -kFar, kFar);
  }
  return exponent.starts_with('-') ? -kFar : kFar;
}

// True if a number that does not fit a double is too small, not too large: its
// first digit other than 0 is after the point.
bool IsTiny(std::string_view number) {
  const size_t e = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, e);
  const size_t point = std::min(digits.find('.'), digits.size());
  const size_t first = digits.find_first_of("123456789");
  const auto place = static_cast<int64_t>(point) - static_cast<int64_t>(first);
  return place + PowerOf(number.substr(std::min(e + 1, number.size()))) < 0;
}

}  // namespace

JsonReader::JsonReader(const JsonText& text, const JsonLimits& limits,
                       JsonVisitor& visitor)
    : text_(text),
      limits_(limits),
      visitor_(visitor),
      at_(text.text.data()),
      end_(text.text.data() + text.text.size()) {
  visitor.reader_ = this;
}

JsonReader::~JsonReader() { visitor_.reader_ = nullptr; }

void JsonReader::Run() {
  ReadValue();
  while (!open_.empty()) ReadNext();
  SkipSpaces();
  if (at_ != end_) FailSyntax("nothing after the value");
}

void JsonReader::Fail(ErrorCode code, const std::string& what,
                      const std::string& hint) const {
  const auto read = static_cast<size_t>(at_ - text_.text.data());
  ThrowJson(code, text_, read == 0 ? 0 : read - 1, what, hint);
}

// Reports the next byte, or the last one.
void JsonReader::FailSyntax(const std::string& expected) const {
  const size_t size = text_.text.size();
  const auto next = static_cast<size_t>(at_ - text_.text.data());
  const size_t index = next < size ? next : size - (size == 0 ? 0 : 1);
  const std::string_view rest = text_.text.substr(next, 1);
  ThrowJson(ErrorCode::kBadInput, text_, index,
            "not valid JSON: expected " + expected + ", found " +
                (rest.empty() ? "the end" : Quoted(rest)));
}

void JsonReader::SkipSpaces() {
  while (at_ != end_ &&
         (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) {
    ++at_;
  }
}

bool JsonReader::Take(char wanted) {
  if (at_ == end_ || *at_ != wanted) return false;
  ++at_;
  return true;
}

void JsonReader::Expect(char wanted) {
  SkipSpaces();
  if (!Take(wanted)) FailSyntax(std::string("'") + wanted + "'");
}

void JsonReader::Count() {
  if (++values_ <= limits_.values) return;
  Fail(ErrorCode::kLimit,
       "more than " + std::to_string(limits_.values) + " values");
}

void JsonReader::Open(bool object) {
  ++at_;
  Count();
  open_.push_back(object);
  if (static_cast<int64_t>(open_.size()) > limits_.depth) {
    ThrowJsonDepth(text_, static_cast<size_t>(at_ - text_.text.data()) - 1,
                   limits_);
  }
  fresh_ = true;
  object ? visitor_.StartObject() : visitor_.StartArray();
}

void JsonReader::Close() {
  const bool object = open_.back();
  open_.pop_back();
  fresh_ = false;
  object ? visitor_.EndObject() : visitor_.EndArray();
}

// Reads the end of the innermost container, or its next item.
void JsonReader::ReadNext() {
  const bool object = open_.back();
  const char closing = object ? '}' : ']';
  SkipSpaces();
  if (Take(closing)) return Close();
  if (!fresh_ && !Take(',')) {
    FailSyntax(std::string("',' or '") + closing + "'");
  }
  fresh_ = false;
  if (object) ReadKey();
  ReadValue();
}

void JsonReader::ReadKey() {
  SkipSpaces();
  if (!Take('"')) FailSyntax("a key in double quotes");
  ReadString();
  Count();
  visitor_.Key(string_);
  Expect(':');
}

void JsonReader::ReadValue() {
  SkipSpaces();
  switch (at_ == end_ ? '\0' : *at_) {
    case '{':
      return Open(true);
    case '[':
      return Open(false);
    case '"':
      ++at_;
      ReadString();
      Count();
      return visitor_.String(string_);
    case 't':
      return ReadWord("true", true);
    case 'f':
      return ReadWord("false", false);
    case 'n':
      return ReadWord("null", nullptr);
    case '-':
      return ReadNumber();
    default:
      if (at_ == end_ || !IsDigit(*at_)) FailSyntax("a value");
      ReadNumber();
  }
}

void JsonReader::ReadWord(std::string_view word, const nlohmann::json& value) {
  for (const char c : word) {
    if (!Take(c)) FailSyntax(std::string(word));
  }
  PassScalar(value);
}

// Reads from after the opening quote to after the closing one.
void JsonReader::ReadString() {
  string_.clear();
  for (;;) {
    ReadPlain();
    if (Take('"')) return;
    if (Take('\\')) {
      ReadEscape();
    } else {
      ReadCharacter();
    }
  }
}

void JsonReader::ReadPlain() {
  const char* const begin = at_;
  while (at_ != end_ && IsPlain(*at_)) ++at_;
  string_.append(begin, at_);
}

void JsonReader::ReadCharacter() {
  if (at_ == end_) FailSyntax("'\"' at the end of the string");
  if (static_cast<unsigned char>(*at_) < 0x20) {
    FailSyntax("control characters as escapes");
  }
  const Utf8Character character = DecodeUtf8({at_, end_});
  if (character.length == 0) FailSyntax("valid UTF-8");
  string_.append(at_, character.length);
  at_ += character.length;
}

void JsonReader::ReadEscape() {
  constexpr std::string_view kLetters = "\"\\/bfnrt",
                             kMeant = "\"\\/\b\f\n\r\t";
  const size_t found =
      at_ == end_ ? std::string_view::npos : kLetters.find(*at_);
  if (found != std::string_view::npos) {
    string_ += kMeant[found];
    ++at_;
    return;
  }
  if (!Take('u')) FailSyntax("one of \"\\/bfnrtu after '\\'");
  ReadUnicodeEscape();
}

void JsonReader::ReadUnicodeEscape() {
  uint32_t code = ReadFourDigits();
  if (IsLowSurrogate(code)) {
    FailSyntax("a high surrogate before a low one");
  }
  if (IsHighSurrogate(code)) {
    if (!Take('\\') || !Take('u')) {
      FailSyntax("a low surrogate after a high one");
    }
    const uint32_t low = ReadFourDigits();
    if (!IsLowSurrogate(low)) FailSyntax("a low surrogate after a high one");
    code = 0x10000 + ((code - kHighSurrogates) << 10) + (low - kLowSurrogates);
  }
  AppendUtf8(code, string_);
}

uint32_t JsonReader::ReadFourDigits() {
  uint32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = at_ == end_ ? '\0' : *at_;
    uint32_t digit = 16;
    std::from_chars(&c, &c + 1, digit, 16);
    if (digit == 16) FailSyntax("four hexadecimal digits after '\\u'");
    code = code * 16 + digit;
    ++at_;
  }
  return code;
}

void JsonReader::ReadNumber() {
  const char* const begin = at_;
  Take('-');
  if (!Take('0')) ReadDigits();
  const bool whole = !ReadFraction();
  const std::string_view number(begin, at_);
  whole ? PassWhole(number) : PassDouble(number);
}

// Returns whether there is a point or an exponent.
bool JsonReader::ReadFraction() {
  const char* const begin = at_;
  if (Take('.')) ReadDigits();
  if (Take('e') || Take('E')) {
    if (!Take('+')) Take('-');
    ReadDigits();
  }
  return at_ != begin;
}

void JsonReader::ReadDigits() {
  if (at_ == end_ || !IsDigit(*at_)) FailSyntax("a digit");
  while (at_ != end_ && IsDigit(*at_)) ++at_;
}

void JsonReader::PassWhole(std::string_view number) {
  const char* const end = number.data() + number.size();
  if (number[0] == '-') {
    int64_t value = 0;
    const auto read = std::from_chars(number.data(), end, value);
    return read.ec == std::errc() ? PassScalar(value) : PassDouble(number);
  }
  uint64_t value = 0;
  const auto read = std::from_chars(number.data(), end, value);
  if (read.ec != std::errc()) return PassDouble(number);
  Count();
  visitor_.Unsigned(value);
}

void JsonReader::PassDouble(std::string_view number) {
  double value = 0;
  const auto read =
      std::from_chars(number.data(), number.data() + number.size(), value);
  if (read.ec == std::errc::result_out_of_range || !std::isfinite(value)) {
    if (!IsTiny(number)) {
      Fail(ErrorCode::kBadInput,
           "the number " + Printable(number) + " is too large for a double");
    }
    value = number[0] == '-' ? -0.0 : 0.0;
  }
  PassScalar(value);
}

void JsonReader::PassScalar(const nlohmann::json& value) {
  Count();
  visitor_.Other(value);
}

}  // namespace rebasin
