#include "onnx/embedded.h"

#include <map>
#include <set>
#include <utility>

#include "formats/limits.h"
#include "onnx/tensor_data.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

bool IsCandidate(const onnx::TensorProto& tensor) {
  if (KindOfType(tensor.data_type()) != Kind::kFloat) return false;
  for (const int64_t size : tensor.dims()) {
    if (size != 1) return true;
  }
  return false;
}

// The message of a Constant node's value; null if another attribute has it.
onnx::TensorProto* ValueOf(onnx::NodeProto& node) {
  if (node.op_type() != "Constant" || node.output_size() != 1) return nullptr;
  for (auto& attribute : *node.mutable_attribute()) {
    if (attribute.name() == "value" && attribute.has_t()) {
      return attribute.mutable_t();
    }
  }
  return nullptr;
}

// Nesting is limited (see wire.h).
class Finder {
 public:
  Finder(const onnx::GraphProto& graph, const std::string& source)
      : source_(source) {
    for (const auto& tensor : graph.initializer()) taken_.insert(tensor.name());
  }

  void Visit(onnx::GraphProto& graph, const std::string& way) {
    if (!way.empty()) {
      for (auto& tensor : *graph.mutable_initializer()) {
        Add(tensor, tensor.name(), way, false);
      }
    }
    for (auto& node : *graph.mutable_node()) {
      if (auto* value = ValueOf(node)) Add(*value, node.output(0), way, true);
      VisitBodies(node, way);
    }
  }

  std::vector<EmbeddedTensor> Take() { return std::move(found_); }

 private:
  void VisitBodies(onnx::NodeProto& node, const std::string& way) {
    for (auto& attribute : *node.mutable_attribute()) {
      if (!attribute.has_g() && attribute.graphs_size() == 0) continue;
      const std::string inner =
          way + node.name() + "/" + attribute.name() + "/";
      if (attribute.has_g()) Visit(*attribute.mutable_g(), inner);
      for (auto& graph : *attribute.mutable_graphs()) Visit(graph, inner);
    }
  }

  void Add(onnx::TensorProto& tensor, const std::string& name,
           const std::string& way, bool is_constant_node) {
    if (name.empty() || !IsCandidate(tensor)) return;
    if (found_.size() >= kMaxTensors) {
      throw Error(
          ErrorCode::kLimit,
          source_ + ": more than " + std::to_string(kMaxTensors) + " tensors");
    }
    found_.push_back({&tensor, Unused(name, way), name, is_constant_node});
  }

  std::string Unused(const std::string& name, const std::string& way) {
    if (taken_.insert(name).second) return name;
    std::string longer = way + name;
    if (longer.size() > kMaxNameBytes) longer = name;
    if (taken_.insert(longer).second) return longer;
    // Numbering continues from the last number, so that equal names need no
    // search.
    int& number = numbers_[longer];
    std::string numbered;
    do {
      numbered = longer + "#" + std::to_string(++number + 1);
    } while (!taken_.insert(numbered).second);
    return numbered;
  }

  const std::string& source_;
  std::set<std::string> taken_;
  std::map<std::string, int> numbers_;
  std::vector<EmbeddedTensor> found_;
};

}  // namespace

std::vector<EmbeddedTensor> FindEmbedded(onnx::GraphProto& graph,
                                         const std::string& source) {
  Finder finder(graph, source);
  finder.Visit(graph, "");
  return finder.Take();
}

}  // namespace rebasin
