#include "formats/npy_literal.h"

#include <array>
#include <charconv>
#include <optional>

#include "formats/limits.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

struct TypeCode {
  std::string_view code;  // without the byte order
  DType dtype;
};
constexpr std::array kTypes = {
    TypeCode{"b1", DType::kBool}, TypeCode{"u1", DType::kU8},
    TypeCode{"i1", DType::kI8},   TypeCode{"u2", DType::kU16},
    TypeCode{"i2", DType::kI16},  TypeCode{"f2", DType::kF16},
    TypeCode{"u4", DType::kU32},  TypeCode{"i4", DType::kI32},
    TypeCode{"f4", DType::kF32},  TypeCode{"u8", DType::kU64},
    TypeCode{"i8", DType::kI64},  TypeCode{"f8", DType::kF64},
    TypeCode{"c8", DType::kC64},
};

constexpr std::string_view kTwoBytes = "V2";

class Parser {
 public:
  Parser(std::string_view text, const std::string& source,
         const NpyOptions& options)
      : text_(text), source_(source), options_(options) {}

  NpyHeader Parse() {
    Expect('{');
    while (!Take('}')) {
      ParseItem();
      if (Take(',')) continue;
      Expect('}');
      break;
    }
    SkipSpaces();
    if (at_ != text_.size()) Fail("the end of the header");
    if (!has_descr_) FailMissing("descr");
    if (!has_order_) FailMissing("fortran_order");
    if (!has_shape_) FailMissing("shape");
    return std::move(header_);
  }

 private:
  [[noreturn]] void Fail(const std::string& expected) const {
    throw Error(
        ErrorCode::kBadInput,
        source_ + ": the .npy header has " +
            (at_ < text_.size() ? Quoted(text_.substr(at_, 20)) : "its end") +
            " at character " + std::to_string(at_) + ", expected " + expected);
  }
  [[noreturn]] void FailMissing(const std::string& key) const {
    throw Error(ErrorCode::kBadInput,
                source_ + ": the .npy header has no key '" + key + "'");
  }
  [[noreturn]] void FailType(const std::string& what,
                             const std::string& hint = "") const {
    throw Error(ErrorCode::kUnsupported, source_ + ": " + what, hint);
  }

  void SkipSpaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) {
      ++at_;
    }
  }

  bool Take(char wanted) {
    SkipSpaces();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  void Expect(char wanted) {
    if (!Take(wanted)) Fail(std::string("'") + wanted + "'");
  }

  bool TakeWord(std::string_view word) {
    SkipSpaces();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  // A string in either kind of quotes, without escapes.
  std::string_view ParseString() {
    SkipSpaces();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') Fail("a string");
    const size_t end = text_.find_first_of("'\"\\\n", at_ + 1);
    if (end == text_.npos || text_[end] != quote) Fail("a plain string");
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }

  void ParseItem() {
    SkipSpaces();
    const size_t start = at_;
    const std::string_view key = ParseString();
    bool* const seen = key == "descr"           ? &has_descr_
                       : key == "fortran_order" ? &has_order_
                       : key == "shape"         ? &has_shape_
                                                : nullptr;
    if (seen == nullptr || *seen) {
      at_ = start;
      Fail("'descr', 'fortran_order' and 'shape', each once");
    }
    *seen = true;
    Expect(':');
    if (seen == &has_descr_) ParseType();
    if (seen == &has_order_) ParseOrder();
    if (seen == &has_shape_) ParseShape();
  }

  void ParseOrder() {
    header_.fortran_order = TakeWord("True");
    if (!header_.fortran_order && !TakeWord("False")) Fail("True or False");
  }

  void ParseShape() {
    Expect('(');
    while (!Take(')')) {
      header_.shape.push_back(ParseSize());
      if (header_.shape.size() > kMaxRank) {
        throw Error(ErrorCode::kLimit, source_ + ": the array has more than " +
                                           std::to_string(kMaxRank) + " axes");
      }
      if (Take(',')) continue;
      // In Python (3) is a number, not a tuple.
      if (header_.shape.size() == 1) Fail("','");
      Expect(')');
      break;
    }
  }

  int64_t ParseSize() {
    SkipSpaces();
    int64_t size = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] =
        std::from_chars(begin, text_.data() + text_.size(), size);
    if (error != std::errc() || size < 0) {
      Fail("a whole number from 0 to 2^63 - 1");
    }
    at_ += static_cast<size_t>(end - begin);
    return size;
  }

  void ParseType() {
    SkipSpaces();
    if (text_.substr(at_).starts_with('[')) {
      FailType("arrays of records (structured types) are not supported");
    }
    const std::string_view type = ParseString();
    const bool has_order =
        !type.empty() && std::string_view("<>=|").find(type[0]) != type.npos;
    const std::string_view code = type.substr(has_order ? 1 : 0);
    // NumPy has no bfloat16 type and saves it as void: <V2.
    if (options_.v2_is_bf16 && has_order && code == kTwoBytes) {
      header_.dtype = DType::kBF16;
      header_.big_endian = type[0] == '>';
      return;
    }
    for (const TypeCode& known : kTypes) {
      if (known.code != code) continue;
      const bool needs_order = DTypeBits(known.dtype) > 8;
      if (needs_order && (!has_order || type[0] == '|')) break;
      header_.dtype = known.dtype;
      header_.big_endian = needs_order && type[0] == '>';
      return;
    }
    FailUnknown(type, code);
  }

  [[noreturn]] void FailUnknown(std::string_view type,
                                std::string_view code) const {
    const std::string text = Quoted(type);
    if (code == "O") {
      FailType("arrays of Python objects (" + text + ") are never read",
               "save it with a numeric dtype");
    }
    if (code == kTwoBytes) {
      FailType("element type " + text + " is two bytes without a meaning",
               "if these are bfloat16 numbers, say so with --npy-bf16");
    }
    FailType("element type " + text + " is not supported",
             "save it as integers or floating-point numbers");
  }

  const std::string_view text_;
  const std::string& source_;
  const NpyOptions& options_;
  size_t at_ = 0;
  NpyHeader header_;
  bool has_descr_ = false, has_order_ = false, has_shape_ = false;
};

}  // namespace

NpyHeader ParseNpyDictionary(std::string_view text, const std::string& source,
                             const NpyOptions& options) {
  return Parser(text, source, options).Parse();
}

}  // namespace rebasin
