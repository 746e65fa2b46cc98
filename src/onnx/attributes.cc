#include "onnx/attributes.h"

#include <optional>
#include <span>
#include <utility>

#include "onnx/sha1.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

using onnx::AttributeProto;

// Files of the first version of the format do not store the type.
AttributeProto::AttributeType TypeOf(const AttributeProto& attribute) {
  if (attribute.type() != AttributeProto::UNDEFINED) return attribute.type();
  if (attribute.has_f()) return AttributeProto::FLOAT;
  if (attribute.has_i()) return AttributeProto::INT;
  if (attribute.has_s()) return AttributeProto::STRING;
  if (attribute.has_t()) return AttributeProto::TENSOR;
  if (attribute.has_g()) return AttributeProto::GRAPH;
  if (attribute.graphs_size() > 0) return AttributeProto::GRAPHS;
  if (attribute.floats_size() > 0) return AttributeProto::FLOATS;
  if (attribute.ints_size() > 0) return AttributeProto::INTS;
  if (attribute.strings_size() > 0) return AttributeProto::STRINGS;
  return AttributeProto::UNDEFINED;
}

std::string Joined(const AttributeProto& attribute) {
  std::string text;
  for (const std::string& part : attribute.strings()) {
    text += (text.empty() ? "" : ",") + part;
  }
  return text;
}

// Bodies of opaque operators are compared as a whole, by their digest.
std::string Digest(const google::protobuf::MessageLite& message) {
  const std::string bytes = message.SerializeAsString();
  return Sha1(std::as_bytes(std::span(bytes)));
}

std::optional<Attribute> ReadAttribute(const AttributeProto& attribute,
                                       ModelFile& file) {
  switch (TypeOf(attribute)) {
    case AttributeProto::FLOAT:
      return static_cast<double>(attribute.f());
    case AttributeProto::INT:
      return static_cast<int64_t>(attribute.i());
    case AttributeProto::STRING:
      return attribute.s();
    case AttributeProto::STRINGS:
      return Joined(attribute);
    case AttributeProto::FLOATS:
      return std::vector<double>(attribute.floats().begin(),
                                 attribute.floats().end());
    case AttributeProto::INTS:
      return std::vector<int64_t>(attribute.ints().begin(),
                                  attribute.ints().end());
    case AttributeProto::TENSOR:
      return ToArray(file.Read(attribute.t()));
    case AttributeProto::GRAPH:
      return "body " + Digest(attribute.g());
    case AttributeProto::GRAPHS:
      return "bodies " + Digest(attribute);
    default:
      return std::nullopt;
  }
}

// An array of the list's elements.
template <typename T>
Array ListArray(Kind kind, const std::vector<T>& list) {
  return MakeArray(kind, {static_cast<int64_t>(list.size())},
                   std::vector<double>(list.begin(), list.end()));
}

Array AsArray(const Attribute& attribute, const ModelFile& file,
              const std::string& node) {
  if (const auto* array = std::get_if<Array>(&attribute)) return *array;
  if (const auto* number = std::get_if<int64_t>(&attribute)) {
    return MakeArray(Kind::kInteger, {}, {static_cast<double>(*number)});
  }
  if (const auto* number = std::get_if<double>(&attribute)) {
    return MakeArray(Kind::kFloat, {}, {*number});
  }
  if (const auto* list = std::get_if<std::vector<int64_t>>(&attribute)) {
    return ListArray(Kind::kInteger, *list);
  }
  if (const auto* list = std::get_if<std::vector<double>>(&attribute)) {
    return ListArray(Kind::kFloat, *list);
  }
  throw Error(
      ErrorCode::kUnsupported,
      file.source() + ": Constant " + Quoted(node) + " is a list of strings");
}

}  // namespace

Attributes ReadAttributes(const onnx::NodeProto& node, ModelFile& file) {
  Attributes attributes;
  for (const auto& attribute : node.attribute()) {
    auto value = ReadAttribute(attribute, file);
    if (value) attributes.insert_or_assign(attribute.name(), std::move(*value));
  }
  return attributes;
}

Array ReadConstantNode(const onnx::NodeProto& node, ModelFile& file) {
  const std::string name = node.output_size() > 0 ? node.output(0) : "";
  const Attributes attributes = ReadAttributes(node, file);
  for (const char* key : {"value", "value_float", "value_floats", "value_int",
                          "value_ints", "value_string", "value_strings"}) {
    const auto found = attributes.find(key);
    if (found != attributes.end()) return AsArray(found->second, file, name);
  }
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == "sparse_value") {
      throw Error(ErrorCode::kUnsupported,
                  file.source() + ": Constant " + Quoted(name) + " is sparse");
    }
    // An empty list has no elements and, in old files, no type.
    if (attribute.name() == "value_ints")
      return ListArray<int64_t>(Kind::kInteger, {});
    if (attribute.name() == "value_floats")
      return ListArray<double>(Kind::kFloat, {});
  }
  throw file.Bad("Constant " + Quoted(name) + " has no value");
}

}  // namespace rebasin
