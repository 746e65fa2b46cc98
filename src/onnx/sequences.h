// Resolves sequences of tensors whose items are known while a graph is read:
// the items that a sequence is built from and taken apart into become the
// tensors themselves. For all other sequences see graph/sequences.h.

#ifndef REBASIN_ONNX_SEQUENCES_H_
#define REBASIN_ONNX_SEQUENCES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "onnx/graph_parts.h"
#include "rebasin/graph.h"

namespace rebasin {

class Sequences {
 public:
  // What is known about a value during reading.
  struct Known {
    const Array* array = nullptr;  // null: unknown
    const Shape* shape = nullptr;
  };

  // `known_value`: returns what is known about a value; `push`: adds a node.
  // Both are called within Resolve only.
  Sequences(GraphParts& parts, std::function<Known(ValueId)> known_value,
            std::function<void(Node)> push)
      : parts_(parts),
        known_value_(std::move(known_value)),
        push_(std::move(push)) {}

  // Handles a node that builds or takes a sequence whose items are known, and
  // adds other nodes in its place. Returns false for all other nodes.
  bool Resolve(const Node& node);

  bool IsSequence(ValueId id) const { return sequences_.contains(id); }
  // Makes `to` the same sequence as `from`.
  void Alias(ValueId from, ValueId to);

  // The nodes that build sequences which the graph's nodes or outputs still use
  // as sequences.
  std::vector<Node> NodesStillNeeded() const;

 private:
  // Either items, or a tensor that is split into parts of a known size, while
  // the number of parts is unknown.
  struct Sequence {
    std::vector<ValueId> items = {};
    ValueId whole = kNoValue;
    int64_t axis = 0;
    int64_t step = 1;
    bool squeeze = false;
  };

  bool Make(const Node& node, Sequence sequence);
  bool Construct(const Node& node);
  bool Split(const Node& node);
  bool SplitBySizes(const Node& node, const std::vector<int64_t>& sizes);
  bool Insert(const Node& node);
  bool Erase(const Node& node);
  bool At(const Node& node);
  bool PartAt(const Node& node, const Sequence& sequence, int64_t index);
  bool Length(const Node& node);
  bool ConcatItems(const Node& node);

  const Sequence* Find(const Node& node) const;  // the first input
  std::optional<int64_t> Int(const Node& node, size_t input) const;
  int64_t Attribute(const Node& node, std::string_view name,
                    int64_t otherwise) const;
  // Adds a node with these inputs, and returns its new output.
  ValueId Add(const Node& origin, const char* op, std::vector<ValueId> inputs,
              Attributes attributes = {});
  void PushNode(const Node& origin, const char* op, std::vector<ValueId> inputs,
                ValueId output, Attributes attributes = {});
  ValueId Ints(const std::vector<int64_t>& values);

  GraphParts& parts_;
  std::function<Known(ValueId)> known_value_;
  std::function<void(Node)> push_;
  std::map<ValueId, Sequence> sequences_;
  std::vector<Node> makers_;  // the nodes that build sequences, in order
  int64_t items_ = 0;         // number of items of all sequences
};

// Whether this is an operator of sequences.
bool IsSequenceOperator(std::string_view op);

}  // namespace rebasin

#endif  // REBASIN_ONNX_SEQUENCES_H_
