#include "graph/compare.h"

#include <algorithm>

#include "base/text.h"
#include "graph/canonical_attributes.h"
#include "graph/pair_values.h"
#include "graph/same_array.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

constexpr size_t kMaxDifferences = 1000;
constexpr int64_t kShortArray = 4;

// The first element that differs: "element 5 of [4, 4]: 0.5".
std::string ElementText(const Array& array, const Array& other) {
  const auto differs = std::mismatch(
      array.values().begin(), array.values().end(), other.values().begin(),
      [](double x, double y) { return x == y || (x != x && y != y); });
  const auto element = differs.first - array.values().begin();
  return "element " + std::to_string(element) + " of " +
         ShapeText(array.shape) + ": " + Number(*differs.first, 9);
}

std::string ConstantText(const Array& array, const Array& other) {
  const bool comparable =
      array.shape == other.shape && array.kind == other.kind &&
      array.size() > kShortArray && array.size() == other.size();
  if (comparable && !SameArray(array, other)) return ElementText(array, other);
  const std::string text = ArrayText(array);
  if (array.kind == other.kind) return text;
  return std::string(array.kind == Kind::kFloat     ? "float "
                     : array.kind == Kind::kInteger ? "integer "
                                                    : "boolean ") +
         text;
}

class Comparison {
 public:
  Comparison(const Graph& a, const Graph& b) : a_(a), b_(b), pairs_(a, b) {}

  std::vector<GraphDifference> Run() {
    if (a_.outputs().size() != b_.outputs().size()) {
      Add(nullptr, {"the graph", "outputs", std::to_string(a_.outputs().size()),
                    std::to_string(b_.outputs().size())});
    }
    for (const ValuePair& output : pairs_.outputs()) CompareOutput(output);
    pairs_.Walk(/*into_same=*/false, [&](ValuePair pair) { Compare(pair); });
    // A's nodes are in execution order.
    std::stable_sort(
        found_.begin(), found_.end(),
        [](const auto& x, const auto& y) { return x.node < y.node; });
    std::vector<GraphDifference> differences;
    for (Found& found : found_) {
      differences.push_back(std::move(found.difference));
    }
    return differences;
  }

 private:
  struct Found {
    const Node* node;
    GraphDifference difference;
  };

  void Add(const Node* node, GraphDifference difference) {
    if (found_.size() < kMaxDifferences) {
      found_.push_back({node, std::move(difference)});
    }
  }

  bool IsLeaf(ValuePair pair) const {
    return pair.a == kNoValue || pair.b == kNoValue ||
           pairs_.ProducerOfA(pair.a) == nullptr ||
           pairs_.ProducerOfB(pair.b) == nullptr;
  }

  void CompareOutput(ValuePair output) {
    if (pairs_.Same(output) || !IsLeaf(output)) return;
    AddLeaf(nullptr, "the graph", "an output", output);
  }

  void Compare(ValuePair pair) {
    if (IsLeaf(pair)) return;  // reported with the node that uses it
    const Node& a = *pairs_.ProducerOfA(pair.a);
    const Node& b = *pairs_.ProducerOfB(pair.b);
    const std::string where = NodeText(a);
    if (a.op != b.op) {
      Add(&a, {where, "operator", Printable(a.op), Printable(b.op)});
    } else {
      CompareAttributes(a, b);
    }
    CompareOutputsUsed(pair, a, b);
    const auto inputs = pairs_.Inputs(a, b);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool absent = inputs[i].a == kNoValue && inputs[i].b == kNoValue;
      if (absent || pairs_.Same(inputs[i]) || !IsLeaf(inputs[i])) continue;
      AddLeaf(&a, where, "input " + std::to_string(i + 1), inputs[i]);
    }
  }

  void CompareAttributes(const Node& a, const Node& b) {
    const Attributes of_a = CanonicalAttributes(a);
    const Attributes of_b = CanonicalAttributes(b);
    for (const auto& [name, attribute] : of_a) {
      const auto other = of_b.find(name);
      const bool stated = other != of_b.end();
      if (stated && SameAttribute(attribute, other->second)) continue;
      AddAttribute(a, name, AttributeText(attribute),
                   stated ? AttributeText(other->second) : Unstated(b, name));
    }
    for (const auto& [name, attribute] : of_b) {
      if (of_a.contains(name)) continue;
      AddAttribute(a, name, Unstated(a, name), AttributeText(attribute));
    }
  }

  // The value of an attribute that is missing from the canonical attributes:
  // the one in the file, or the default.
  static std::string Unstated(const Node& node, const std::string& name) {
    const auto found = node.attributes.find(name);
    return found == node.attributes.end() ? "the default"
                                          : AttributeText(found->second);
  }

  void AddAttribute(const Node& node, const std::string& name, std::string a,
                    std::string b) {
    Add(&node, {NodeText(node), "attribute " + Quoted(name), std::move(a),
                std::move(b)});
  }

  void CompareOutputsUsed(ValuePair pair, const Node& a, const Node& b) {
    const auto index = [](const Node& node, ValueId id) {
      return std::find(node.outputs.begin(), node.outputs.end(), id) -
             node.outputs.begin() + 1;
    };
    const auto of_a = index(a, pair.a), of_b = index(b, pair.b);
    if (of_a == of_b) return;
    Add(&a, {NodeText(a), "which output is used", std::to_string(of_a),
             std::to_string(of_b)});
  }

  void AddLeaf(const Node* node, const std::string& where,
               const std::string& what, ValuePair pair) {
    const Array* of_a = ConstantOf(a_, pair.a);
    const Array* of_b = ConstantOf(b_, pair.b);
    if (of_a != nullptr && of_b != nullptr) {
      return Add(node,
                 {where, what + " (a constant)", ConstantText(*of_a, *of_b),
                  ConstantText(*of_b, *of_a)});
    }
    Add(node, {where, what, SourceText(a_, pair.a), SourceText(b_, pair.b)});
  }

  static const Array* ConstantOf(const Graph& graph, ValueId id) {
    if (id == kNoValue) return nullptr;
    const Value& value = graph.values()[static_cast<size_t>(id)];
    return value.role == Role::kConstant ? &value.constant : nullptr;
  }

  static std::string SourceText(const Graph& graph, ValueId id) {
    if (id == kNoValue) return "left out";
    const Value& value = graph.values()[static_cast<size_t>(id)];
    switch (value.role) {
      case Role::kInput:
        return "graph input " + Quoted(value.name) + " " +
               ShapeText(value.shape);
      case Role::kWeight:
        return "weight " + Quoted(value.name);
      case Role::kConstant:
        return "constant " + ArrayText(value.constant);
      case Role::kComputed:
        break;
    }
    return "computed " + Quoted(value.name);
  }

  const Graph& a_;
  const Graph& b_;
  PairedGraphs pairs_;
  std::vector<Found> found_;
};

}  // namespace

std::string GraphDifference::text() const {
  return where + ": " + what + " " + a + " in A, " + b + " in B";
}

std::vector<GraphDifference> CompareGraphs(const Graph& a, const Graph& b) {
  return Comparison(a, b).Run();
}

}  // namespace rebasin
