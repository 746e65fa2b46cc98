// Sequences of tensors whose items are known while a graph is read: what is put
// together and taken apart again becomes the tensors themselves. Others stay,
// see graph/sequences.h.

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
  // What is known of a value that is being read.
  struct Known {
    const Array* array = nullptr;  // null: not known
    const Shape* shape = nullptr;
  };

  // `look`: what is known of a value; `push`: adds a node. Both are called
  // within Resolve only.
  Sequences(GraphParts& parts, std::function<Known(ValueId)> look,
            std::function<void(Node)> push)
      : parts_(parts), look_(std::move(look)), push_(std::move(push)) {}

  // Whether the node makes or takes a sequence whose items are known. Then
  // other nodes stand for it, or none.
  bool Resolve(const Node& node);

  bool IsSequence(ValueId id) const { return sequences_.contains(id); }
  // Both are the same sequence from now on.
  void Alias(ValueId from, ValueId to);

  // The nodes that make sequences which somebody else needs as such, given the
  // nodes and outputs of the graph.
  std::vector<Node> Leftovers() const;

 private:
  // Items, or the parts of a tensor of which only the size is known.
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
  // Another value, made by an operator with these inputs.
  ValueId Add(const Node& origin, const char* op, std::vector<ValueId> inputs,
              Attributes attributes = {});
  void Put(const Node& origin, const char* op, std::vector<ValueId> inputs,
           ValueId output, Attributes attributes = {});
  ValueId Ints(const std::vector<int64_t>& values);

  GraphParts& parts_;
  std::function<Known(ValueId)> look_;
  std::function<void(Node)> push_;
  std::map<ValueId, Sequence> sequences_;
  std::vector<Node> makers_;  // of sequences, in order
  int64_t items_ = 0;         // of all sequences together
};

// Whether this is an operator of sequences.
bool IsSequenceOperator(std::string_view op);

}  // namespace rebasin

#endif  // REBASIN_ONNX_SEQUENCES_H_
