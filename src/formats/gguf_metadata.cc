#include <array>
#include <bit>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>

#include "formats/gguf_header.h"
#include "formats/limits.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// The numbers of the format.
enum class Kind : uint32_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kF32,
  kBool,
  kText,
  kArray,
  kU64,
  kI64,
  kF64,
};
constexpr uint32_t kKinds = 13;

constexpr std::string_view kAlignmentKey = "general.alignment";
constexpr int kMaxArrayDepth = 4;

template <typename T>
std::string NumberText(T value) {
  std::array<char, 64> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end.ptr};
}

class MetadataReader {
 public:
  explicit MetadataReader(GgufCursor& cursor) : cursor_(cursor) {}

  void ReadEntry() {
    key_ = cursor_.Text("a metadata key", kMaxNameBytes);
    if (key_.empty()) cursor_.Fail("a metadata key is empty");
    what_ = "metadata " + Quoted(key_);
    if (!keys_.insert(key_).second) Fail("the key is used twice");
    const Kind kind = ReadKind();
    if (key_ == kAlignmentKey && kind != Kind::kU32) {
      Fail("must be a number of type U32");
    }
    if (kind == Kind::kArray) {
      SkipArray(0);
      result_.left_out.push_back(key_);
    } else {
      Add(ReadScalar(kind));
    }
  }

  GgufMetadata Take() { return std::move(result_); }

 private:
  [[noreturn]] void Fail(const std::string& what) const {
    cursor_.Fail(what_ + ": " + what);
  }

  Kind ReadKind() {
    const auto number = cursor_.Number<uint32_t>(what_);
    if (number >= kKinds) {
      Fail("there is no value type " + std::to_string(number));
    }
    return static_cast<Kind>(number);
  }

  void Add(std::string value) {
    text_bytes_ += static_cast<int64_t>(key_.size() + value.size());
    if (text_bytes_ > kMaxHeaderBytes) {
      throw Error(ErrorCode::kLimit,
                  cursor_.source() + ": the metadata have more than " +
                      std::to_string(kMaxHeaderBytes) + " bytes of text");
    }
    result_.values.emplace(key_, std::move(value));
  }

  std::string ReadScalar(Kind kind) {
    switch (kind) {
      case Kind::kU8:
        return Unsigned<uint8_t>();
      case Kind::kI8:
        return Other<uint8_t, int8_t>();
      case Kind::kU16:
        return Unsigned<uint16_t>();
      case Kind::kI16:
        return Other<uint16_t, int16_t>();
      case Kind::kU32:
        return key_ == kAlignmentKey ? ReadAlignment() : Unsigned<uint32_t>();
      case Kind::kI32:
        return Other<uint32_t, int32_t>();
      case Kind::kF32:
        return Other<uint32_t, float>();
      case Kind::kBool:
        return ReadBool();
      case Kind::kU64:
        return Unsigned<uint64_t>();
      case Kind::kI64:
        return Other<uint64_t, int64_t>();
      case Kind::kF64:
        return Other<uint64_t, double>();
      case Kind::kText:
      case Kind::kArray:  // not a scalar
        break;
    }
    return std::string(cursor_.Text(what_, kMaxHeaderBytes));
  }

  template <typename T>
  std::string Unsigned() {
    return NumberText(cursor_.Number<T>(what_));
  }

  // A value of another type with the same size.
  template <typename Bits, typename T>
  std::string Other() {
    return NumberText(std::bit_cast<T>(cursor_.Number<Bits>(what_)));
  }

  std::string ReadBool() {
    const auto value = cursor_.Number<uint8_t>(what_);
    if (value > 1) Fail("a truth value is 0 or 1, not " + NumberText(value));
    return value == 1 ? "true" : "false";
  }

  std::string ReadAlignment() {
    const auto value = cursor_.Number<uint32_t>(what_);
    if (value == 0 || value % 8 != 0) {
      Fail(std::to_string(value) + " is no multiple of 8");
    }
    result_.alignment = value;
    return NumberText(value);
  }

  // The size of one value in an array; 0 if it varies.
  static uint64_t SizeOf(Kind kind) {
    constexpr std::array<uint64_t, kKinds> kSizes = {1, 1, 2, 2, 4, 4, 4,
                                                     1, 0, 0, 8, 8, 8};
    return kSizes[static_cast<size_t>(kind)];
  }

  // Each string and array takes bytes, so the loop ends with the file even if
  // the count is wrong.
  void SkipArray(int depth) {
    if (depth == kMaxArrayDepth) {
      throw Error(ErrorCode::kLimit, cursor_.source() + ": " + what_ +
                                         ": arrays nested deeper than " +
                                         std::to_string(kMaxArrayDepth) +
                                         " levels");
    }
    const Kind kind = ReadKind();
    const auto count = cursor_.Number<uint64_t>(what_);
    if (const uint64_t size = SizeOf(kind)) {
      if (count > cursor_.left() / size) {
        Fail("an array of " + std::to_string(count) +
             " values does not fit the file");
      }
      return cursor_.Skip(count * size, what_);
    }
    for (uint64_t i = 0; i < count; ++i) {
      if (kind == Kind::kText) {
        cursor_.SkipText(what_);
      } else {
        SkipArray(depth + 1);
      }
    }
  }

  GgufCursor& cursor_;
  std::string key_, what_;  // the current key, and its name in messages
  std::set<std::string> keys_;
  int64_t text_bytes_ = 0;
  GgufMetadata result_;
};

}  // namespace

GgufMetadata ReadGgufMetadata(GgufCursor& cursor, uint64_t count) {
  if (count > kMaxMetadata) {
    throw Error(ErrorCode::kLimit, cursor.source() + ": the header claims " +
                                       std::to_string(count) +
                                       " metadata; the limit is " +
                                       std::to_string(kMaxMetadata));
  }
  MetadataReader reader(cursor);
  for (uint64_t i = 0; i < count; ++i) reader.ReadEntry();
  return reader.Take();
}

}  // namespace rebasin
