#include "onnx/graph_reader.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/checked.h"
#include "formats/limits.h"
#include "graph/branches.h"
#include "graph/inference.h"
#include "onnx/attributes.h"
#include "onnx/captures.h"
#include "onnx/graph_parts.h"
#include "onnx/rewrite.h"
#include "onnx/sequences.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// State that all readers of one model share: the reader of the model and those
// of its loop bodies.
struct SharedState {
  ModelFile& file;
  const std::vector<Role>& roles;  // of file.initializers()
  int64_t unrolled = 0;            // nodes created by unrolling so far
};

// Limit of the nodes that all loops of a model are unrolled to. A loop that
// would exceed it keeps its body.
constexpr int64_t kMaxUnrolledNodes = 20'000;

// The names that a body defines. All other names are those of the surrounding
// graph.
struct Scope {
  std::set<std::string_view> own;
  std::map<std::string_view, ValueId> ids;
};

class GraphReader {
 public:
  // `outer`: the reader of the surrounding graph of a body; null for a model.
  GraphReader(SharedState& shared, GraphReader* outer)
      : shared_(shared),
        file_(shared.file),
        outer_(outer),
        sequences_(
            parts_, [this](ValueId id) { return KnownValue(id); },
            [this](Node node) { Push(std::move(node)); }) {}

  Graph ReadModel() {
    const auto& graph = file_.graph();
    folds_ = NeedsFolding(graph);
    const auto nodes = static_cast<size_t>(graph.node_size());
    parts_.nodes.reserve(nodes);
    parts_.values.reserve(nodes + file_.initializers().size());
    AddInitializers();
    AddInputs();
    for (const auto& node : graph.node()) AddNode(node);
    AddUnreachedWeights();
    for (const auto& info : graph.value_info()) SetDeclaredType(info);
    for (const auto& output : graph.output()) AddOutput(output);
    WarnOfFunctions();
    return Finish();
  }

  // Reads the body of a Loop as a separate graph. `captured`: the values of the
  // surrounding graph that are appended to its inputs.
  Graph ReadBody(const onnx::GraphProto& body, std::vector<ValueId>& captured) {
    folds_ = NeedsFolding(body);
    std::vector<ValueId> inputs;
    for (const auto& input : body.input()) {
      inputs.push_back(AddBodyInput(input.name()));
    }
    parts_.outputs = ReadNested(body, inputs);
    captured = captured_;
    return Finish();
  }

 private:
  Graph Finish() {
    for (Node& node : sequences_.NodesStillNeeded()) {
      parts_.nodes.push_back(std::move(node));
    }
    DropUnusedOutputs();
    RewriteFlatteningSoftmaxes(file_.opset(), parts_);
    RefuseTrainingMode(parts_);
    parts_.ids.clear();  // as large as the values themselves
    return Graph(std::move(parts_.values), std::move(parts_.nodes),
                 std::move(parts_.outputs));
  }

  // Whether values must be computed while reading: the number of iterations of
  // a loop, or the items of sequences.
  static bool NeedsFolding(const onnx::GraphProto& graph) {
    for (const auto& node : graph.node()) {
      if (node.op_type() == "Loop" || IsSequenceOperator(node.op_type())) {
        return true;
      }
      for (const auto& attribute : node.attribute()) {
        if (attribute.has_g() && NeedsFolding(attribute.g())) return true;
      }
    }
    return false;
  }

  // The value with this name in the current scope. Adds a computed value if the
  // name is new.
  ValueId Find(const std::string& name) {
    if (name.empty()) return kNoValue;
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (!scope->own.contains(name)) continue;
      const auto known = scope->ids.find(name);
      if (known != scope->ids.end()) return known->second;
      const ValueId id = parts_.AddComputed(name);
      scope->ids.emplace(*scope->own.find(name), id);
      return id;
    }
    return outer_ ? Capture(outer_->Find(name)) : parts_.Find(name);
  }

  // Makes a value of the surrounding graph an input of this body. Constants are
  // copied, so that they remain known.
  ValueId Capture(ValueId outer) {
    const auto found = capture_ids_.find(outer);
    if (found != capture_ids_.end()) return found->second;
    const Value& value = outer_->parts_.values[static_cast<size_t>(outer)];
    ValueId id;
    if (value.role == Role::kConstant) {
      id = parts_.AddConstant(value.constant);
    } else {
      id = AddBodyInput(value.name);
      captured_.push_back(outer);
    }
    capture_ids_.emplace(outer, id);
    return id;
  }

  ValueId AddBodyInput(const std::string& name) {
    const ValueId id = parts_.AddComputed(name);
    parts_.values.back().role = Role::kInput;
    // The shape is unknown until the graph is run.
    parts_.values.back().shape = {kOpenSize};
    return id;
  }

  // Adds the nodes of a body to this graph. `inputs` are the values of its
  // inputs. Returns its outputs.
  std::vector<ValueId> ReadNested(const onnx::GraphProto& graph,
                                  const std::vector<ValueId>& inputs) {
    Scope scope;
    for (int i = 0; i < graph.input_size(); ++i) {
      scope.own.insert(graph.input(i).name());
      if (static_cast<size_t>(i) < inputs.size()) {
        scope.ids.emplace(graph.input(i).name(), inputs[i]);
      }
    }
    for (const auto& tensor : graph.initializer()) {
      scope.own.insert(tensor.name());
    }
    for (const auto& node : graph.node()) {
      for (const auto& name : node.output()) {
        if (!name.empty()) scope.own.insert(name);
      }
    }
    scopes_.push_back(std::move(scope));
    for (const auto& tensor : graph.initializer()) {
      Bind(tensor.name(), TensorValue(tensor));
    }
    for (const auto& node : graph.node()) {
      if (IsConstantNode(node)) Bind(node.output(0), ConstantValue(node));
    }
    for (const auto& node : graph.node()) {
      if (!IsConstantNode(node)) AddNode(node);
    }
    std::vector<ValueId> outputs;
    for (const auto& output : graph.output()) {
      if (output.name().empty()) throw file_.Bad("an output has no name");
      outputs.push_back(Find(output.name()));
    }
    scopes_.pop_back();
    return outputs;
  }

  void Bind(const std::string& name, ValueId id) {
    if (name.empty()) return;
    Scope& scope = scopes_.back();
    if (scope.ids.emplace(*scope.own.find(name), id).second) return;
    throw file_.Bad("value " + Quoted(name) + " is produced twice");
  }

  static bool IsConstantNode(const onnx::NodeProto& node) {
    return IsOwnDomain(node.domain()) && node.op_type() == "Constant" &&
           node.output_size() == 1;
  }

  // The weight or constant of a tensor.
  ValueId TensorValue(const onnx::TensorProto& tensor) {
    const auto embedded = file_.FindEmbeddedIn(tensor);
    if (embedded && shared_.roles[*embedded] == Role::kWeight) {
      return WeightValue(*embedded);
    }
    const auto [found, is_new] = constant_ids_.emplace(&tensor, kNoValue);
    if (is_new) found->second = parts_.AddConstant(ToArray(file_.Read(tensor)));
    return found->second;
  }

  ValueId ConstantValue(const onnx::NodeProto& node) {
    for (const auto& attribute : node.attribute()) {
      if (attribute.name() == "value" && attribute.has_t()) {
        return TensorValue(attribute.t());
      }
    }
    const auto [found, is_new] = constant_ids_.emplace(&node, kNoValue);
    if (is_new) {
      found->second = parts_.AddConstant(ReadConstantNode(node, file_));
    }
    return found->second;
  }

  // One value for each weight, even if its body is unrolled several times.
  // Weights belong to the model, so loop bodies capture them.
  ValueId WeightValue(size_t initializer) {
    if (outer_) return Capture(outer_->WeightValue(initializer));
    const auto [found, is_new] = weight_ids_.emplace(
        initializer, static_cast<ValueId>(parts_.values.size()));
    if (is_new) parts_.values.push_back(InitializerValue(initializer));
    return found->second;
  }

  Value InitializerValue(size_t initializer) const {
    const Tensor& tensor = file_.initializers()[initializer];
    Value value;
    value.name = tensor.name;
    value.role = shared_.roles[initializer];
    value.kind = KindOf(tensor.dtype);
    value.shape = tensor.shape;
    value.declared = true;
    if (value.role == Role::kConstant) value.constant = ToArray(tensor);
    return value;
  }

  void AddInitializers() {
    const int count = file_.graph().initializer_size();
    for (int i = 0; i < count; ++i) {
      parts_.Define(InitializerValue(static_cast<size_t>(i)));
    }
  }

  // Adds the weights in bodies of opaque operators.
  void AddUnreachedWeights() {
    const auto first = static_cast<size_t>(file_.graph().initializer_size());
    for (size_t i = first; i < shared_.roles.size(); ++i) {
      if (shared_.roles[i] == Role::kWeight) WeightValue(i);
    }
  }

  void AddInputs() {
    for (const auto& input : file_.graph().input()) {
      if (parts_.ids.contains(input.name())) {
        // Up to version 3 of the format, initializers were listed as inputs,
        // too.
        const Value& known = parts_.values[parts_.Find(input.name())];
        if (known.role != Role::kInput) continue;
        throw file_.Bad("input " + Quoted(input.name()) + " occurs twice");
      }
      Value value = ReadType(input);
      if (!value.declared) {
        throw Error(ErrorCode::kUnsupported,
                    file_.source() + ": input " + Quoted(input.name()) +
                        " is not a tensor of known rank");
      }
      value.role = Role::kInput;
      parts_.Define(std::move(value));
    }
  }

  // Name, type and shape of a value. `declared` is false if the file does not
  // have all of them. Open sizes have symbols.
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
        throw file_.Bad("value " + Quoted(info.name()) +
                        " has a negative size, " +
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
    throw file_.Bad("value " + Quoted(value.name) + ": shape " +
                    ShapeText(value.shape) + " is too large");
  }

  void AddNode(const onnx::NodeProto& proto) {
    const bool own = IsOwnDomain(proto.domain());
    if (IsConstantNode(proto)) return AddConstantNode(proto);
    Node node;
    node.op = own ? proto.op_type() : proto.domain() + "::" + proto.op_type();
    node.name = proto.name();
    for (const auto& name : proto.input()) node.inputs.push_back(Find(name));
    for (const auto& name : proto.output()) node.outputs.push_back(Find(name));
    if (node.op.empty()) {
      throw file_.Bad("node " + Quoted(node.name) + " has no operator");
    }
    if (node.op == "If") return AddIf(proto, std::move(node));
    if (node.op == "Loop") return AddLoop(proto, std::move(node));
    AddCaptures(proto, node);
    node.attributes = ReadAttributes(proto, file_);
    node.guards = guards_;
    if (sequences_.Resolve(node)) return;
    if (own) RewriteNode(node, file_.opset(), parts_);
    Push(std::move(node));
  }

  void Push(Node node) {
    node.guards = guards_;
    if (folds_) Fold(node);
    parts_.nodes.push_back(std::move(node));
  }

  void PushNode(const char* op, const std::string& name,
                std::vector<ValueId> inputs, ValueId output,
                Attributes attributes = {}) {
    Node node;
    node.op = op;
    node.name = name;
    node.inputs = std::move(inputs);
    node.outputs = {output};
    node.attributes = std::move(attributes);
    Push(std::move(node));
  }

  void AddConstantNode(const onnx::NodeProto& proto) {
    const std::string& name = proto.output(0);
    if (name.empty()) return;  // the output is unused
    if (parts_.ids.contains(name)) {
      // The name was used before its definition, or is defined twice.
      return PushNode("Identity", proto.name(), {ConstantValue(proto)},
                      Find(name));
    }
    const ValueId id = ConstantValue(proto);
    parts_.ids.emplace(name, id);
    Value& value = parts_.values[static_cast<size_t>(id)];
    if (value.role == Role::kConstant) value.name = name;
  }

  static const onnx::GraphProto* FindBody(const onnx::NodeProto& proto,
                                          std::string_view name) {
    for (const auto& attribute : proto.attribute()) {
      if (attribute.name() == name && attribute.has_g()) return &attribute.g();
    }
    return nullptr;
  }

  // Adds the nodes of both branches with their guards, and an If node that
  // selects the results.
  void AddIf(const onnx::NodeProto& proto, Node node) {
    if (node.inputs.size() != 1 || node.inputs[0] == kNoValue) {
      throw file_.Bad(NodeText(node) + " has no condition");
    }
    const ValueId condition = node.inputs[0];
    for (const bool when : {true, false}) {
      const char* name = when ? "then_branch" : "else_branch";
      const onnx::GraphProto* branch = FindBody(proto, name);
      if (branch == nullptr || branch->input_size() > 0 ||
          branch->output_size() != proto.output_size()) {
        throw file_.Bad(NodeText(node) + " has no " + name +
                        ", or one that does not match its outputs");
      }
      guards_.push_back({condition, when});
      for (const ValueId id : ReadNested(*branch, {})) {
        if (id == kNoValue) throw file_.Bad("an output has no name");
        node.inputs.push_back(id);
      }
      guards_.pop_back();
    }
    Push(std::move(node));
  }

  // Unrolls a loop if its number of iterations is known.
  void AddLoop(const onnx::NodeProto& proto, Node node) {
    const onnx::GraphProto* body = FindBody(proto, "body");
    const size_t carried = node.inputs.size() < 2 ? 0 : node.inputs.size() - 2;
    if (body == nullptr || node.inputs.size() < 2 ||
        static_cast<size_t>(body->input_size()) != carried + 2 ||
        static_cast<size_t>(body->output_size()) < carried + 1 ||
        node.outputs.size() + 1 > static_cast<size_t>(body->output_size())) {
      throw file_.Bad(
          NodeText(node) +
          " has no body, or one that does not match its inputs and outputs");
    }
    if (std::count(node.inputs.begin() + 2, node.inputs.end(), kNoValue) > 0) {
      throw file_.Bad(NodeText(node) +
                      " lacks the initial value of a carried input");
    }
    node.outputs.resize(static_cast<size_t>(body->output_size()) - 1, kNoValue);
    const auto trips = StaticTrips(node, *body);
    if (trips) return Unroll(node, *body, *trips, carried);
    node.attributes.emplace("carried", static_cast<int64_t>(carried));
    SharedState& shared = shared_;
    std::vector<ValueId> captured;
    node.body = std::make_shared<const Graph>(
        GraphReader(shared, this).ReadBody(*body, captured));
    node.inputs.insert(node.inputs.end(), captured.begin(), captured.end());
    Push(std::move(node));
  }

  // The number of iterations; nothing if it is unknown, or if the unrolled loop
  // would be too large.
  std::optional<int64_t> StaticTrips(const Node& node,
                                     const onnx::GraphProto& body) {
    const Array* most =
        node.inputs[0] == kNoValue ? nullptr : KnownValue(node.inputs[0]).array;
    const Array* starts =
        node.inputs[1] == kNoValue ? nullptr : KnownValue(node.inputs[1]).array;
    const bool begins =
        node.inputs[1] == kNoValue ||
        (starts != nullptr && starts->size() == 1 && starts->values()[0] != 0);
    if (most == nullptr || most->size() != 1 || !begins ||
        !AlwaysContinues(body)) {
      return std::nullopt;
    }
    const double trips = most->values()[0];
    const int64_t nodes = CountNodes(body);
    const int64_t room = kMaxUnrolledNodes - shared_.unrolled;
    if (!(trips >= 1) ||
        !(trips * static_cast<double>(nodes) <= static_cast<double>(room))) {
      return std::nullopt;
    }
    shared_.unrolled += static_cast<int64_t>(trips) * nodes;
    return static_cast<int64_t>(trips);
  }

  // The nodes of one iteration: one for the iteration itself, those of the body
  // and nested bodies, and more for nodes with long attributes, which are
  // copied for each iteration.
  static int64_t CountNodes(const onnx::GraphProto& graph) {
    constexpr size_t kBytesOfNode = 256;
    int64_t count = 1 + graph.initializer_size();
    for (const auto& node : graph.node()) {
      ++count;
      if (IsConstantNode(node)) continue;
      count += static_cast<int64_t>(node.ByteSizeLong() / kBytesOfNode);
      for (const auto& attribute : node.attribute()) {
        if (attribute.has_g()) count += CountNodes(attribute.g());
      }
    }
    return count;
  }

  // Whether the loop condition is always true: it is passed on from the
  // iteration before, or is a constant of the body or of the surrounding graph.
  bool AlwaysContinues(const onnx::GraphProto& body) {
    constexpr int kMaxSteps = 8;
    std::string name = body.output(0).name();
    for (int step = 0; step < kMaxSteps; ++step) {
      if (name == body.input(1).name()) return true;
      const auto maker = std::find_if(
          body.node().begin(), body.node().end(), [&](const auto& node) {
            return std::count(node.output().begin(), node.output().end(),
                              name) > 0;
          });
      if (maker == body.node().end()) return IsTrueOutside(body, name);
      if (IsConstantNode(*maker)) return IsTrueConstant(*maker);
      const bool passes =
          (maker->op_type() == "Identity" || maker->op_type() == "Cast") &&
          maker->input_size() == 1;
      if (!passes) return false;
      name = maker->input(0);
    }
    return false;
  }

  // Whether the name is that of a true constant of the surrounding graph.
  bool IsTrueOutside(const onnx::GraphProto& body, const std::string& name) {
    const auto named = [&](const auto& one) { return one.name() == name; };
    if (name.empty() ||
        std::any_of(body.input().begin(), body.input().end(), named) ||
        std::any_of(body.initializer().begin(), body.initializer().end(),
                    named)) {
      return false;
    }
    const Array* array = KnownValue(Find(name)).array;
    return array != nullptr && array->size() == 1 && array->values()[0] != 0;
  }

  static bool IsTrueConstant(const onnx::NodeProto& node) {
    for (const auto& attribute : node.attribute()) {
      if (attribute.name() != "value" || !attribute.has_t()) continue;
      const onnx::TensorProto& value = attribute.t();
      if (value.data_type() != onnx::TensorProto::BOOL) return false;
      if (value.int32_data_size() == 1) return value.int32_data(0) != 0;
      return value.raw_data().size() == 1 && value.raw_data()[0] != 0;
    }
    return false;
  }

  void Unroll(const Node& node, const onnx::GraphProto& body, int64_t trips,
              size_t carried) {
    std::vector<ValueId> values(node.inputs.begin() + 2, node.inputs.end());
    std::vector<std::vector<ValueId>> stacks(node.outputs.size() - carried);
    for (int64_t trip = 0; trip < trips; ++trip) {
      std::vector<ValueId> inputs = {
          parts_.AddConstant(
              MakeArray(Kind::kInteger, {}, {static_cast<double>(trip)})),
          parts_.AddConstant(MakeArray(Kind::kBoolean, {}, {1.0}))};
      inputs.insert(inputs.end(), values.begin(), values.end());
      const std::vector<ValueId> outputs = ReadNested(body, inputs);
      values.assign(outputs.begin() + 1, outputs.begin() + 1 + carried);
      for (size_t i = 0; i < stacks.size(); ++i) {
        stacks[i].push_back(outputs[1 + carried + i]);
      }
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNoValue) continue;
      if (i < carried) {
        Carry(node, values[i], node.outputs[i]);
      } else {
        StackItems(node, stacks[i - carried], node.outputs[i]);
      }
    }
  }

  void Carry(const Node& loop, ValueId from, ValueId to) {
    if (sequences_.IsSequence(from)) return sequences_.Alias(from, to);
    PushNode("Identity", loop.name, {from}, to);
  }

  // Stacks the values of one output of all iterations.
  void StackItems(const Node& loop, std::vector<ValueId> items, ValueId to) {
    const ValueId axes =
        parts_.AddConstant(MakeArray(Kind::kInteger, {1}, {0.0}));
    for (ValueId& item : items) {
      const ValueId row = parts_.AddComputed(loop.name + "/row");
      PushNode("Unsqueeze", loop.name, {item, axes}, row);
      item = row;
    }
    PushNode("Concat", loop.name, std::move(items), to, {{"axis", int64_t{0}}});
  }

  // What is known about a value so far.
  Sequences::Known KnownValue(ValueId id) {
    const Value& value = parts_.values[static_cast<size_t>(id)];
    if (value.role == Role::kConstant) {
      return {&value.constant, &value.shape};
    }
    if (static_cast<size_t>(id) >= known_.types.size()) return {};
    const auto& array = known_.constants[static_cast<size_t>(id)];
    const ValueType& type = known_.types[static_cast<size_t>(id)];
    return {array ? &*array : nullptr, type.known ? &type.shape : nullptr};
  }

  void Fold(const Node& node) {
    known_.types.resize(parts_.values.size());
    known_.constants.resize(parts_.values.size());
    for (const ValueId id : node.inputs) {
      if (id == kNoValue) continue;
      const auto at = static_cast<size_t>(id);
      const Value& value = parts_.values[at];
      const bool open =
          std::count(value.shape.begin(), value.shape.end(), kOpenSize) > 0;
      if (value.role == Role::kComputed || open) continue;
      known_.types[at] = KnownType(value.kind, value.shape);
      if (value.role == Role::kConstant) known_.constants[at] = value.constant;
    }
    try {
      InferNode(node, parts_.values, known_, budget_);
      // Code that needs these types will report the error.
    } catch (const Error&) {
    }
  }

  // Adds to the node's inputs the values that its opaque bodies use.
  void AddCaptures(const onnx::NodeProto& proto, Node& node) {
    const Bodies bodies = ReadBodies(proto);
    for (const std::string& name : bodies.captured) {
      node.inputs.push_back(Find(name));
    }
    std::vector<std::string> weights;
    for (const onnx::TensorProto* tensor : bodies.tensors) {
      const auto embedded = file_.FindEmbeddedIn(*tensor);
      if (!embedded || shared_.roles[*embedded] != Role::kWeight) continue;
      node.inputs.push_back(WeightValue(*embedded));
      weights.push_back(file_.initializers()[*embedded].name);
    }
    if (weights.empty()) return;
    file_.Warn("weights inside " + NodeText(node) +
               " are not permuted: " + std::to_string(weights.size()) +
               ", among them " + Quoted(weights[0]));
  }

  // Sets the type that the file declares for a computed value.
  void SetDeclaredType(const onnx::ValueInfoProto& info) {
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
    SetDeclaredType(output);
    parts_.outputs.push_back(parts_.Find(output.name()));
  }

  void WarnOfFunctions() {
    for (const auto& function : file_.model().functions()) {
      file_.Warn("function " +
                 Quoted(function.domain() + "::" + function.name()) +
                 " of the model is not analysed; weights that are passed to it "
                 "are fixed");
    }
  }

  // Drops unused optional outputs (masks, training statistics), so that no
  // operator has to compute them.
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

  SharedState& shared_;
  ModelFile& file_;
  GraphReader* outer_;
  GraphParts parts_;
  Sequences sequences_;
  std::vector<Scope> scopes_;  // of the bodies being read, innermost last
  std::vector<Guard> guards_;  // of the branches being read
  std::map<size_t, ValueId> weight_ids_;  // by initializer
  // By the message of a tensor or Constant node: unrolled bodies share them.
  std::map<const void*, ValueId> constant_ids_;
  std::map<ValueId, ValueId> capture_ids_;
  std::vector<ValueId> captured_;
  bool folds_ = false;
  Inference known_;
  FoldingBudget budget_;
};

}  // namespace

Graph ReadGraph(ModelFile& file, const std::vector<Role>& roles) {
  try {
    SharedState shared{.file = file, .roles = roles};
    return WithoutDeadBranches(GraphReader(shared, nullptr).ReadModel());
  } catch (const Error& error) {
    const std::string message = error.what();
    if (message.starts_with(file.source())) throw;
    throw Error(error.code(), file.source() + ": " + message, error.hint());
  }
}

}  // namespace rebasin
