#include "onnx/captures.h"

#include <algorithm>
#include <set>
#include <utility>

namespace rebasin {
namespace {

// A body can use the names of the bodies around it. Nesting is limited (see
// wire.h).
class BodyReader {
 public:
  void ReadNode(const onnx::NodeProto& node) {
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) ReadGraph(attribute.g());
      for (const auto& graph : attribute.graphs()) ReadGraph(graph);
    }
  }

  Bodies Finish() { return std::move(bodies_); }

 private:
  void ReadGraph(const onnx::GraphProto& graph) {
    std::set<std::string> own;
    for (const auto& input : graph.input()) own.insert(input.name());
    for (const auto& tensor : graph.initializer()) {
      own.insert(tensor.name());
      bodies_.tensors.push_back(&tensor);
    }
    for (const auto& node : graph.node()) {
      own.insert(node.output().begin(), node.output().end());
    }
    visible_.push_back(std::move(own));
    for (const auto& node : graph.node()) {
      for (const std::string& input : node.input()) Use(input);
      if (node.op_type() == "Constant") ReadConstant(node);
      ReadNode(node);
    }
    for (const auto& output : graph.output()) Use(output.name());
    visible_.pop_back();
  }

  void ReadConstant(const onnx::NodeProto& node) {
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_t()) bodies_.tensors.push_back(&attribute.t());
    }
  }

  void Use(const std::string& name) {
    const bool inside =
        std::any_of(visible_.begin(), visible_.end(),
                    [&](const auto& names) { return names.contains(name); });
    if (inside || name.empty() || !seen_.insert(name).second) return;
    bodies_.captured.push_back(name);
  }

  // One set for each body being read.
  std::vector<std::set<std::string>> visible_;
  std::set<std::string> seen_;
  Bodies bodies_;
};

}  // namespace

Bodies ReadBodies(const onnx::NodeProto& node) {
  BodyReader reader;
  reader.ReadNode(node);
  return reader.Finish();
}

}  // namespace rebasin
