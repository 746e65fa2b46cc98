#include "onnx/wire.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "onnx/field_reader.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// The nesting limit of protobuf.
constexpr size_t kMaxDepth = 100;
// Limit of the number of nodes, tensors, attributes, names and so on. Each may
// take two bytes in the file and far more in memory. Real models have up to
// about 100,000.
constexpr int64_t kMaxMessages = 2'000'000;

enum class Message : uint8_t {
  kModel,
  kGraph,
  kNode,
  kAttribute,
  kTensor,
  kSparseTensor,
  kValueInfo,
  kType,
  kTensorType,
  kShape,
  kElement,  // the content of a sequence or an optional
  kMap,
  kFunction,
  kTraining,
  kAnnotation,
  kLeaf,  // contains no messages
};

struct MessageField {
  Message parent;
  uint32_t number;
  Message child;
};

// The fields of onnx.proto that contain messages.
constexpr MessageField kMessageFields[] = {
    {Message::kModel, 7, Message::kGraph},
    {Message::kModel, 8, Message::kLeaf},
    {Message::kModel, 14, Message::kLeaf},
    {Message::kModel, 20, Message::kTraining},
    {Message::kModel, 25, Message::kFunction},
    {Message::kGraph, 1, Message::kNode},
    {Message::kGraph, 5, Message::kTensor},
    {Message::kGraph, 11, Message::kValueInfo},
    {Message::kGraph, 12, Message::kValueInfo},
    {Message::kGraph, 13, Message::kValueInfo},
    {Message::kGraph, 14, Message::kAnnotation},
    {Message::kGraph, 15, Message::kSparseTensor},
    {Message::kNode, 5, Message::kAttribute},
    {Message::kAttribute, 5, Message::kTensor},
    {Message::kAttribute, 6, Message::kGraph},
    {Message::kAttribute, 10, Message::kTensor},
    {Message::kAttribute, 11, Message::kGraph},
    {Message::kAttribute, 14, Message::kType},
    {Message::kAttribute, 15, Message::kType},
    {Message::kAttribute, 22, Message::kSparseTensor},
    {Message::kAttribute, 23, Message::kSparseTensor},
    {Message::kTensor, 3, Message::kLeaf},
    {Message::kTensor, 13, Message::kLeaf},
    {Message::kSparseTensor, 1, Message::kTensor},
    {Message::kSparseTensor, 2, Message::kTensor},
    {Message::kValueInfo, 2, Message::kType},
    {Message::kType, 1, Message::kTensorType},
    {Message::kType, 4, Message::kElement},
    {Message::kType, 5, Message::kMap},
    {Message::kType, 8, Message::kTensorType},
    {Message::kType, 9, Message::kElement},
    {Message::kTensorType, 2, Message::kShape},
    {Message::kShape, 1, Message::kLeaf},
    {Message::kElement, 1, Message::kType},
    {Message::kMap, 2, Message::kType},
    {Message::kFunction, 7, Message::kNode},
    {Message::kFunction, 9, Message::kLeaf},
    {Message::kTraining, 1, Message::kGraph},
    {Message::kTraining, 2, Message::kGraph},
    {Message::kTraining, 3, Message::kLeaf},
    {Message::kTraining, 4, Message::kLeaf},
    {Message::kAnnotation, 2, Message::kLeaf},
};

std::optional<Message> ChildOf(Message parent, uint32_t number) {
  for (const MessageField& field : kMessageFields) {
    if (field.parent == parent && field.number == number) return field.child;
  }
  return std::nullopt;
}

// The fields of onnx.proto that are lists of strings, mostly inputs and
// outputs.
bool IsListOfStrings(Message parent, uint32_t number) {
  switch (parent) {
    case Message::kNode:
      return number == 1 || number == 2;
    case Message::kAttribute:
      return number == 9;
    case Message::kTensor:
      return number == 6;
    case Message::kFunction:
      return number == 4 || number == 5 || number == 6;
    default:
      return false;
  }
}

[[noreturn]] void ThrowLimit(const std::string& source, const char* what,
                             int64_t limit) {
  throw Error(ErrorCode::kLimit,
              source + ": more than " + std::to_string(limit) + " " + what);
}

// Whether a model may have this field before its graph.
bool IsModelField(const Field& field) {
  constexpr std::pair<uint32_t, uint32_t> kFields[] = {
      {1, kVarint}, {2, kBytes}, {3, kBytes},  {4, kBytes},  {5, kVarint},
      {6, kBytes},  {8, kBytes}, {14, kBytes}, {20, kBytes}, {25, kBytes}};
  return std::any_of(std::begin(kFields), std::end(kFields), [&](auto known) {
    return known == std::pair(field.number, field.type);
  });
}

}  // namespace

void CheckWire(std::span<const std::byte> file, const std::string& source) {
  struct Open {
    Message message;
    size_t end;
  };
  FieldReader reader(file, source);
  std::vector<Open> open = {{Message::kModel, file.size()}};
  int64_t messages = 0;
  while (!open.empty()) {
    const Open current = open.back();
    if (reader.at() == current.end) {
      open.pop_back();
      continue;
    }
    const Field field = reader.Next(current.end);
    const auto child = field.type == kBytes
                           ? ChildOf(current.message, field.number)
                           : std::nullopt;
    if (child || IsListOfStrings(current.message, field.number)) {
      if (++messages > kMaxMessages) {
        ThrowLimit(source, "nodes, tensors, attributes and names",
                   kMaxMessages);
      }
    }
    if (!child) {
      reader.Skip(field.size);
      continue;
    }
    open.push_back({*child, reader.at() + field.size});
    if (open.size() > kMaxDepth) {
      ThrowLimit(source, "levels of nesting", kMaxDepth);
    }
  }
}

bool StartsLikeOnnx(std::span<const std::byte> file) {
  constexpr uint32_t kVersion = 1, kGraph = 7;
  // Fields that may come first in a graph: node, name, initializer, inputs, ...
  constexpr std::string_view kGraphTags =
      "\x0A\x12\x2A\x52\x5A\x62\x6A\x72\x7A";
  const std::string nobody;
  FieldReader reader(file, nobody);
  try {
    bool version = false;
    while (reader.at() < file.size()) {
      // A truncated graph also counts.
      const auto tag = static_cast<uint32_t>(file[reader.at()]);
      if (version && tag == (kGraph << 3 | kBytes)) {
        std::span<const std::byte> rest = file.subspan(reader.at() + 1);
        while (!rest.empty() && (rest[0] >> 7) != std::byte{0}) {
          rest = rest.subspan(1);
        }
        return rest.size() >= 2 &&
               kGraphTags.find(static_cast<char>(rest[1])) != kGraphTags.npos;
      }
      const Field field = reader.Next(file.size());
      if (!IsModelField(field)) return false;
      version |= field.number == kVersion;
      reader.Skip(field.size);
    }
  } catch (const Error&) {
  }
  return false;
}

}  // namespace rebasin
