#include "onnx/field_reader.h"

namespace rebasin {

Field FieldReader::Next(size_t end) {
  start_ = at_;
  const uint64_t tag = Varint(end);
  Field field{.number = static_cast<uint32_t>(tag >> 3),
              .type = static_cast<uint32_t>(tag & 7)};
  if (tag >> 32 != 0 || field.number == 0) {
    throw Bad("the tag of a field is invalid");
  }
  switch (field.type) {
    case kVarint:
      Varint(end);
      break;
    case kEight:
      field.size = 8;
      break;
    case kFour:
      field.size = 4;
      break;
    case kBytes:
      field.size = Varint(end);
      break;
    default:
      throw Bad("wire type " + std::to_string(field.type) +
                " does not occur in ONNX");
  }
  if (field.size > end - at_) {
    throw Bad("field " + std::to_string(field.number) + " takes " +
              std::to_string(field.size) + " bytes, but only " +
              std::to_string(end - at_) + " follow");
  }
  return field;
}

uint64_t FieldReader::Varint(size_t end) {
  constexpr int kMaxBytes = 10;
  uint64_t value = 0;
  for (int i = 0; i < kMaxBytes; ++i) {
    if (at_ >= end) throw Bad("a number ends too early");
    const auto byte = static_cast<uint64_t>(file_[at_++]);
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) return value;
  }
  throw Bad("a number has more than 10 bytes");
}

Error FieldReader::Bad(const std::string& what) const {
  return Error(ErrorCode::kBadInput, source_ +
                                         ": not a valid ONNX model: at byte " +
                                         std::to_string(start_) + ": " + what);
}

}  // namespace rebasin
