#include "onnx/graph_reader.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/checked.h"
#include "formats/limits.h"
#include "onnx/attributes.h"
#include "onnx/captures.h"
#include "onnx/graph_parts.h"
#include "onnx/rewrite.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

class GraphReader {
 public:
  GraphReader(ModelFile& file, const std::vector<Role>& roles)
      : file_(file), roles_(roles) {}

  Graph Read() {
    AddInitializers();
    AddInputs();
    for (const auto& node : file_.graph().node()) AddNode(node);
    for (const auto& info : file_.graph().value_info()) AddClaim(info);
    for (const auto& output : file_.graph().output()) AddOutput(output);
    WarnOfFunctions();
    DropUnusedOutputs();
    RewriteFlatteningSoftmaxes(file_.opset(), parts_);
    return Graph(std::move(parts_.values), std::move(parts_.nodes),
                 std::move(parts_.outputs));
  }

 private:
  void AddInitializers() {
    for (size_t i = 0; i < roles_.size(); ++i) {
      const Tensor& tensor = file_.initializers()[i];
      Value value;
      value.name = tensor.name;
      value.role = roles_[i];
      value.kind = KindOf(tensor.dtype);
      value.shape = tensor.shape;
      value.declared = true;
      if (value.role == Role::kConstant) value.constant = ToArray(tensor);
      parts_.Define(std::move(value));
    }
  }

  void AddInputs() {
    for (const auto& input : file_.graph().input()) {
      if (parts_.ids.contains(input.name())) {
        // Up to version 3 of the format, initializers were inputs, too.
        const Value& known = parts_.values[parts_.Find(input.name())];
        if (known.role != Role::kInput) continue;
        throw file_.Bad("input " + Quoted(input.name()) + " occurs twice");
      }
      Value value = ReadType(input);
      if (!value.declared) {
        throw Error(ErrorCode::kUnsupported,
                    file_.source() + ": input " + Quoted(input.name()) +
                        " has no type of a tensor with a known rank");
      }
      value.role = Role::kInput;
      parts_.Define(std::move(value));
    }
  }

  // Name, type and shape; `declared` is off if the file does not state them
  // all. Open sizes have symbols.
  Value ReadType(const onnx::ValueInfoProto& info) const {
    Value value;
    value.name = info.name();
    if (info.name().empty()) throw file_.Bad("an input has no name");
    const auto& type = info.type().tensor_type();
    const auto kind = KindOfType(type.elem_type());
    if (!info.type().has_tensor_type() || !kind || !type.has_shape()) {
      return value;
    }
    for (const auto& dim : type.shape().dim()) {
      const bool stated = dim.has_dim_value();
      if (stated && dim.dim_value() < 0 && dim.dim_value() != kOpenSize) {
        throw file_.Bad("value " + Quoted(info.name()) + " has a size of " +
                        std::to_string(dim.dim_value()));
      }
      value.shape.push_back(stated ? dim.dim_value() : kOpenSize);
      value.symbols.push_back(dim.dim_param());
    }
    CheckShape(value);
    value.kind = *kind;
    value.declared = true;
    return value;
  }

  void CheckShape(const Value& value) const {
    if (value.shape.size() > kMaxRank) {
      throw Error(ErrorCode::kLimit,
                  file_.source() + ": value " + Quoted(value.name) + " has " +
                      std::to_string(value.shape.size()) +
                      " dimensions; the limit is " + std::to_string(kMaxRank));
    }
    Shape closed = value.shape;
    std::replace(closed.begin(), closed.end(), kOpenSize, int64_t{1});
    if (CheckedProduct(closed)) return;
    throw file_.Bad("value " + Quoted(value.name) + ": a shape of " +
                    ShapeText(value.shape) + " is impossible");
  }

  void AddNode(const onnx::NodeProto& proto) {
    const bool own = IsOwnDomain(proto.domain());
    if (own && proto.op_type() == "Constant" && proto.output_size() == 1) {
      return AddConstantNode(proto);
    }
    Node node;
    node.op = own ? proto.op_type() : proto.domain() + "::" + proto.op_type();
    node.name = proto.name();
    for (const auto& name : proto.input()) {
      node.inputs.push_back(parts_.Find(name));
    }
    for (const auto& name : proto.output()) {
      node.outputs.push_back(parts_.Find(name));
    }
    if (node.op.empty()) {
      throw file_.Bad("node " + Quoted(node.name) + " has no operator");
    }
    AddCaptures(proto, node);
    node.attributes = ReadAttributes(proto, file_);
    if (own) RewriteNode(node, file_.opset(), parts_);
    parts_.nodes.push_back(std::move(node));
  }

  void AddConstantNode(const onnx::NodeProto& proto) {
    Value value;
    value.name = proto.output(0);
    if (value.name.empty()) return;  // nobody can use it
    value.role = Role::kConstant;
    value.constant = ReadConstantNode(proto, file_);
    value.kind = value.constant.kind;
    value.shape = value.constant.shape;
    value.declared = true;
    if (parts_.Define(std::move(value))) return;
    throw file_.Bad("value " + Quoted(proto.output(0)) + " is made twice");
  }

  // What a body uses, the node uses.
  void AddCaptures(const onnx::NodeProto& proto, Node& node) {
    const Bodies bodies = ReadBodies(proto);
    for (const std::string& name : bodies.captured) {
      node.inputs.push_back(parts_.Find(name));
    }
    if (bodies.weights.empty()) return;
    file_.Warn("weights inside " + NodeText(node) +
               " are fixed: " + std::to_string(bodies.weights.size()) +
               ", among them " + Quoted(bodies.weights[0]));
  }

  // What the file says of a computed value.
  void AddClaim(const onnx::ValueInfoProto& info) {
    const auto found = parts_.ids.find(info.name());
    if (found == parts_.ids.end()) return;
    Value& value = parts_.values[static_cast<size_t>(found->second)];
    if (value.role != Role::kComputed) return;
    Value claim = ReadType(info);
    claim.symbols.clear();
    value = std::move(claim);
  }

  void AddOutput(const onnx::ValueInfoProto& output) {
    if (output.name().empty()) throw file_.Bad("an output has no name");
    AddClaim(output);
    parts_.outputs.push_back(parts_.Find(output.name()));
  }

  void WarnOfFunctions() {
    for (const auto& function : file_.model().functions()) {
      file_.Warn("function " +
                 Quoted(function.domain() + "::" + function.name()) +
                 " of the model is not looked into; weights that it is given "
                 "are fixed");
    }
  }

  // Masks, statistics of training and the like, so that nobody has to know
  // how to compute them.
  void DropUnusedOutputs() {
    std::vector<bool> used(parts_.values.size(), false);
    for (const Node& node : parts_.nodes) {
      for (ValueId id : node.inputs) {
        if (id != kNoValue) used[static_cast<size_t>(id)] = true;
      }
    }
    for (ValueId id : parts_.outputs) used[static_cast<size_t>(id)] = true;
    for (Node& node : parts_.nodes) {
      for (size_t o = 1; o < node.outputs.size(); ++o) {
        const ValueId id = node.outputs[o];
        if (id != kNoValue && !used[static_cast<size_t>(id)]) {
          node.outputs[o] = kNoValue;
        }
      }
    }
  }

  ModelFile& file_;
  const std::vector<Role>& roles_;
  GraphParts parts_;
};

}  // namespace

Graph ReadGraph(ModelFile& file, const std::vector<Role>& roles) {
  try {
    return GraphReader(file, roles).Read();
  } catch (const Error& error) {
    const std::string message = error.what();
    if (message.starts_with(file.source())) throw;
    throw Error(error.code(), file.source() + ": " + message, error.hint());
  }
}

}  // namespace rebasin
