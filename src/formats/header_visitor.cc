#include "formats/header_visitor.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "formats/limits.h"

namespace rebasin {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// Names of unknown fields are kept for a warning; a few are enough.
constexpr size_t kMaxUnknownFields = 8;

constexpr std::array<std::string_view, 3> kFields = {"dtype", "shape",
                                                     "data_offsets"};

}  // namespace

SafetensorsHeader HeaderVisitor::Take() { return std::move(header_); }

std::string HeaderVisitor::Where() const {
  return "tensor " + Quoted(entry_.name);
}

void HeaderVisitor::FailType(const std::string& found) const {
  const auto fail = [&](const std::string& expected) {
    Fail(ErrorCode::kBadInput, expected + ", not " + found);
  };
  switch (state_) {
    case State::kTop:
      fail("the header must be an object");
      break;
    case State::kTensor:
      fail(Where() + " must be an object");
      break;
    case State::kDtype:
      fail(Where() + ": dtype must be a string");
      break;
    case State::kShape:
      fail(Where() + ": shape must be an array");
      break;
    case State::kDims:
      fail(Where() + ": shape must hold whole numbers from 0 to 2^63 - 1");
      break;
    case State::kOffsets:
      fail(Where() + ": data_offsets must be an array");
      break;
    case State::kOffset:
      fail(Where() +
           ": data_offsets must hold whole numbers from 0 to 2^63 - 1");
      break;
    case State::kMetadata:
      fail("__metadata__ must be an object");
      break;
    case State::kMetadataValue:
      fail("__metadata__: the value of " + Quoted(metadata_key_) +
           " must be a string");
      break;
    default:
      break;
  }
  Fail(ErrorCode::kBadInput, "unexpected " + found);
}

void HeaderVisitor::StartObject() {
  switch (state_) {
    case State::kTop:
      state_ = State::kName;
      return;
    case State::kTensor:
      state_ = State::kField;
      return;
    case State::kMetadata:
      state_ = State::kMetadataKey;
      return;
    case State::kUnknown:
      ++skip_depth_;
      return;
    default:
      FailType("an object");
  }
}

void HeaderVisitor::EndObject() {
  switch (state_) {
    case State::kField:
      FinishTensor();
      state_ = State::kName;
      return;
    case State::kMetadataKey:
      state_ = State::kName;
      return;
    case State::kUnknown:
      EndArray();
      return;
    default:
      return;  // the end of the header
  }
}

void HeaderVisitor::StartArray() {
  switch (state_) {
    case State::kShape:
      state_ = State::kDims;
      return;
    case State::kOffsets:
      state_ = State::kOffset;
      return;
    case State::kUnknown:
      ++skip_depth_;
      return;
    default:
      FailType("an array");
  }
}

void HeaderVisitor::EndArray() {
  if (state_ == State::kUnknown && --skip_depth_ > 0) return;
  if (state_ == State::kOffset && offsets_ != 2) {
    Fail(ErrorCode::kBadInput, Where() +
                                   ": data_offsets must hold 2 numbers, not " +
                                   std::to_string(offsets_));
  }
  state_ = State::kField;
}

void HeaderVisitor::Key(std::string& key) {
  switch (state_) {
    case State::kName:
      StartTensor(key);
      return;
    case State::kField:
      StartField(key);
      return;
    case State::kMetadataKey:
      metadata_key_ = std::move(key);
      state_ = State::kMetadataValue;
      return;
    default:
      return;  // inside an unknown field
  }
}

void HeaderVisitor::StartTensor(std::string& name) {
  if (name == "__metadata__") {
    if (std::exchange(has_metadata_, true)) {
      Fail(ErrorCode::kBadInput, "duplicate key \"__metadata__\"");
    }
    state_ = State::kMetadata;
    return;
  }
  if (name.empty()) Fail(ErrorCode::kBadInput, "empty tensor name");
  if (name.size() > kMaxNameBytes) {
    Fail(ErrorCode::kLimit,
         "tensor name " + Quoted(name) + " has " + std::to_string(name.size()) +
             " bytes; the limit is " + std::to_string(kMaxNameBytes));
  }
  if (name.find('\0') != std::string::npos) {
    Fail(ErrorCode::kBadInput,
         "tensor name " + Quoted(name) + " holds a NUL character");
  }
  if (header_.tensors.size() == kMaxTensors) {
    Fail(ErrorCode::kLimit,
         "more than " + std::to_string(kMaxTensors) + " tensors");
  }
  entry_ = {};
  entry_.name = std::move(name);
  seen_ = 0;
  offsets_ = 0;
  state_ = State::kTensor;
}

void HeaderVisitor::StartField(const std::string& field) {
  constexpr std::array kStates = {State::kDtype, State::kShape,
                                  State::kOffsets};
  const auto index = static_cast<size_t>(
      std::find(kFields.begin(), kFields.end(), field) - kFields.begin());
  if (index == kFields.size()) return StartUnknownField(field);
  const unsigned bit = 1u << index;
  if ((seen_ & bit) != 0) {
    Fail(ErrorCode::kBadInput, Where() + ": duplicate field " + Quoted(field));
  }
  seen_ |= bit;
  state_ = kStates[index];
}

// Duplicates in unknown fields are accepted, because their content is ignored.
void HeaderVisitor::StartUnknownField(const std::string& field) {
  if (unknown_fields_.size() < kMaxUnknownFields) {
    unknown_fields_.insert(field);
  }
  skip_depth_ = 0;
  state_ = State::kUnknown;
}

void HeaderVisitor::FinishTensor() {
  for (size_t i = 0; i < kFields.size(); ++i) {
    if ((seen_ >> i & 1) != 0) continue;
    Fail(ErrorCode::kBadInput,
         Where() + ": field " + Quoted(kFields[i]) + " is missing");
  }
  if (entry_.begin > entry_.end) {
    Fail(ErrorCode::kBadInput,
         Where() + ": data_offsets [" + std::to_string(entry_.begin) + ", " +
             std::to_string(entry_.end) + "] end before they begin");
  }
  header_.tensors.push_back(std::move(entry_));
}

void HeaderVisitor::AddMetadata(std::string& value) {
  if (header_.metadata.size() == kMaxMetadata) {
    Fail(ErrorCode::kLimit, "__metadata__ has more than " +
                                std::to_string(kMaxMetadata) + " entries");
  }
  const auto [at, added] =
      header_.metadata.try_emplace(metadata_key_, std::move(value));
  if (!added) {
    Fail(ErrorCode::kBadInput,
         "__metadata__: duplicate key " + Quoted(metadata_key_));
  }
  state_ = State::kMetadataKey;
}

// Returns true if the scalar belongs to an unknown field.
bool HeaderVisitor::SkipScalar() {
  if (state_ != State::kUnknown) return false;
  if (skip_depth_ == 0) state_ = State::kField;
  return true;
}

void HeaderVisitor::String(std::string& value) {
  if (SkipScalar()) return;
  if (state_ == State::kMetadataValue) return AddMetadata(value);
  if (state_ != State::kDtype) FailType("a string");
  entry_.dtype = DTypeFromName(value);
  entry_.dtype_name = std::move(value);
  state_ = State::kField;
}

void HeaderVisitor::Unsigned(uint64_t value) {
  if (SkipScalar()) return;
  if (state_ != State::kDims && state_ != State::kOffset) FailType("a number");
  if (value > static_cast<uint64_t>(kMax)) FailType(std::to_string(value));
  const auto number = static_cast<int64_t>(value);
  if (state_ == State::kDims) {
    if (entry_.shape.size() == kMaxRank) {
      Fail(ErrorCode::kLimit, Where() + ": shape has more than " +
                                  std::to_string(kMaxRank) + " dimensions");
    }
    entry_.shape.push_back(number);
    return;
  }
  // Counts further offsets too, for the message.
  if (offsets_ == 0) entry_.begin = number;
  if (offsets_ == 1) entry_.end = number;
  ++offsets_;
}

void HeaderVisitor::Other(const nlohmann::json& value) {
  if (!SkipScalar()) FailType(value.dump());
}

}  // namespace rebasin
