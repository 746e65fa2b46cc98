// Finds sizes for inputs by trying: shapes that do not fit make Infer throw,
// and windows that shrink an image to nothing give an axis of size 0.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "graph/inference.h"
#include "graph/positions.h"

namespace rebasin {
namespace {

constexpr int64_t kBatch = 2;
constexpr int64_t kOpenSizes[] = {4, 8, 16, 32, 64, 128, 224, 256, 384, 512};
// Large sizes that reveal values that change only above some size.
constexpr int64_t kLargeBatch = 5;
constexpr int64_t kLargeFactors[] = {16, 8, 4, 2};
// Limit of the weight sizes that are tried for an axis that only works with
// size 1.
constexpr size_t kMaxWeightSizes = 32;
// Limit of the unknown sizes that may be the batch size; each doubles the
// number of trials.
constexpr int kMaxUnsure = 4;

// Constants may be empty: exporters write an empty list for an omitted input.
bool HasEmptyValue(const Inference& inference) {
  for (size_t id = 0; id < inference.types.size(); ++id) {
    const Shape& shape = inference.types[id].shape;
    const bool empty = std::count(shape.begin(), shape.end(), 0) > 0;
    if (empty && !inference.constants[id]) return true;
  }
  return false;
}

std::string SymbolOf(const Value& input, size_t axis) {
  return axis < input.symbols.size() ? input.symbols[axis] : "";
}

// Open axes with the same symbol have the same size. Batch axes without a
// symbol share one size; each other axis without a symbol has its own.
struct OpenAxis {
  size_t input;
  size_t axis;
  std::string symbol;
  bool batch = false;
};

class OpenSizes {
 public:
  explicit OpenSizes(const Graph& graph) : graph_(graph) {
    std::set<std::string> batch_symbols;
    ForEachOpen([&](size_t input, size_t axis, const std::string& symbol) {
      axes_.push_back({input, axis, symbol});
      if (axis == 0 && !symbol.empty()) batch_symbols.insert(symbol);
    });
    for (OpenAxis& open : axes_) {
      open.batch = open.axis == 0 || batch_symbols.contains(open.symbol);
      any_other_ |= !open.batch;
    }
    NumberUnknowns();
  }

  bool any() const { return !axes_.empty(); }
  bool any_other() const { return any_other_; }
  size_t unknowns() const { return unknowns_.size(); }
  bool IsBatch(size_t unknown) const { return unknowns_[unknown]; }

  // Replaces the open sizes of the shapes by size(unknown), for all axes that
  // have this unknown size.
  std::vector<Shape> Fill(std::vector<Shape> shapes,
                          const std::function<int64_t(size_t)>& size) const {
    for (size_t a = 0; a < axes_.size(); ++a) {
      shapes[axes_[a].input][axes_[a].axis] = size(unknown_of_[a]);
    }
    return shapes;
  }

  // The number of unknown sizes without a symbol that may be the batch size.
  int unsure() const { return unsure_; }

  // Bit i of `as_batch` gives the i-th of these the batch size.
  std::vector<Shape> Fill(int64_t batch, int64_t other,
                          uint32_t as_batch = 0) const {
    std::vector<Shape> stated;
    for (ValueId id : graph_.inputs()) {
      stated.push_back(graph_.values()[id].shape);
    }
    return Fill(std::move(stated), [&](size_t u) {
      const int i = unsure_number_[u];
      const bool chosen = i >= 0 && (as_batch >> i & 1) != 0;
      return IsBatch(u) || chosen ? batch : other;
    });
  }

  // The value of the unknown size in these shapes.
  int64_t SizeIn(const std::vector<Shape>& shapes, size_t unknown) const {
    for (size_t a = 0; a < axes_.size(); ++a) {
      if (unknown_of_[a] == unknown) {
        return shapes[axes_[a].input][axes_[a].axis];
      }
    }
    return 0;
  }

 private:
  template <typename Visit>
  void ForEachOpen(const Visit& visit) const {
    for (size_t i = 0; i < graph_.inputs().size(); ++i) {
      const Value& input = graph_.values()[graph_.inputs()[i]];
      for (size_t axis = 0; axis < input.shape.size(); ++axis) {
        if (input.shape[axis] < 0) visit(i, axis, SymbolOf(input, axis));
      }
    }
  }

  // Each symbol is one unknown size, and so is each axis without a symbol,
  // except that all batch axes without a symbol share one.
  void NumberUnknowns() {
    std::map<std::string, size_t> known;
    for (const OpenAxis& open : axes_) {
      const std::string key = !open.symbol.empty() ? "s" + open.symbol
                              : open.batch
                                  ? "batch"
                                  : "axis" + std::to_string(unknown_of_.size());
      const auto [found, is_new] = known.try_emplace(key, unknowns_.size());
      if (is_new) {
        const bool unsure = !open.batch && open.symbol.empty();
        unknowns_.push_back(open.batch);
        unsure_number_.push_back(unsure && unsure_ < kMaxUnsure ? unsure_++
                                                                : -1);
      }
      unknown_of_.push_back(found->second);
    }
  }

  const Graph& graph_;
  std::vector<OpenAxis> axes_;
  std::vector<size_t> unknown_of_;  // by open axis
  std::vector<bool> unknowns_;      // whether it is the batch size
  std::vector<int> unsure_number_;  // by unknown; -1: none
  bool any_other_ = false;
  int unsure_ = 0;
};

// Searches for shapes in which every unknown size differs from the usual one.
class OtherShapes {
 public:
  OtherShapes(const Graph& graph, const std::vector<Shape>& usual)
      : graph_(graph), sizes_(graph), usual_(usual) {}

  std::vector<std::vector<Shape>> Find() {
    if (!sizes_.any()) return {};
    for (const auto& attempt : AllAtOnce()) {
      if (auto shapes = Try(attempt)) return {*std::move(shapes)};
    }
    std::vector<std::vector<Shape>> found;
    for (size_t u = 0; u < sizes_.unknowns(); ++u) {
      if (auto shapes = TryAlone(u)) found.push_back(*std::move(shapes));
    }
    return found;
  }

  std::optional<std::vector<Shape>> Large() {
    if (!sizes_.any()) return std::nullopt;
    for (int64_t factor : kLargeFactors) {
      auto shapes = Try([&](size_t u) {
        return sizes_.IsBatch(u) ? kLargeBatch : Usual(u) * factor;
      });
      if (shapes) return shapes;
    }
    return std::nullopt;
  }

 private:
  using Attempt = std::function<int64_t(size_t)>;

  int64_t Usual(size_t unknown) const { return sizes_.SizeIn(usual_, unknown); }

  std::optional<std::vector<Shape>> Try(const Attempt& size) const {
    std::vector<Shape> shapes = sizes_.Fill(usual_, size);
    if (shapes == usual_ || !TryInfer(graph_, shapes)) return std::nullopt;
    return shapes;
  }

  // Changes all sizes at once, at first to odd sizes that differ from each
  // other, so that none of them coincides with another.
  std::vector<Attempt> AllAtOnce() const {
    const auto or_batch = [this](auto other) {
      return [this, other](size_t u) {
        return sizes_.IsBatch(u) ? Usual(u) + 1
                                 : other(static_cast<int64_t>(u));
      };
    };
    return {
        or_batch([this](int64_t u) { return Usual(u) + 3 + 2 * u; }),
        or_batch([this](int64_t u) { return Usual(u) + 3; }),
        or_batch([this](int64_t u) { return Usual(u) * (2 + u); }),
        or_batch([this](int64_t u) { return Usual(u) * 2; }),
        [this](size_t u) { return Usual(u) * (sizes_.IsBatch(u) ? 1 : 2); },
    };
  }

  std::optional<std::vector<Shape>> TryAlone(size_t unknown) const {
    for (int64_t size : SizesFor(unknown)) {
      auto shapes =
          Try([&](size_t u) { return u == unknown ? size : Usual(u); });
      if (shapes) return shapes;
    }
    return std::nullopt;
  }

  std::vector<int64_t> SizesFor(size_t unknown) const {
    const int64_t usual = Usual(unknown);
    std::vector<int64_t> sizes = {usual + 1, usual + 3, usual * 2, usual * 3};
    // An axis that works only with size 1 may be broadcast to the size of a
    // weight.
    if (usual == 1) {
      const std::set<int64_t> others = WeightSizes();
      sizes.insert(sizes.end(), others.begin(), others.end());
    }
    return sizes;
  }

  std::set<int64_t> WeightSizes() const {
    std::set<int64_t> sizes;
    for (ValueId id : graph_.weights()) {
      for (int64_t size : graph_.values()[id].shape) {
        if (size > 1 && sizes.size() < kMaxWeightSizes) sizes.insert(size);
      }
    }
    return sizes;
  }

  const Graph& graph_;
  OpenSizes sizes_;
  const std::vector<Shape>& usual_;
};

}  // namespace

std::optional<Inference> TryInfer(const Graph& graph,
                                  const std::vector<Shape>& shapes) {
  try {
    Inference inference = Infer(graph, shapes, Conditions::kDecided);
    if (HasEmptyValue(inference) || !PositionsFit(graph, inference)) {
      return std::nullopt;
    }
    return inference;
  } catch (const Error&) {
    return std::nullopt;
  }
}

namespace {

// The shapes with the fewest unknown nodes in branches.
struct BestShapes {
  std::optional<std::vector<Shape>> shapes = {};
  int64_t unknown = 0;

  bool perfect() const { return shapes && unknown == 0; }

  void Try(const Graph& graph, std::vector<Shape> candidate) {
    const auto inference = TryInfer(graph, candidate);
    if (!inference) return;
    if (shapes && inference->unknown_in_branches >= unknown) return;
    shapes = std::move(candidate);
    unknown = inference->unknown_in_branches;
  }
};

}  // namespace

std::vector<Shape> DefaultInputShapes(const Graph& graph) {
  constexpr size_t kMaxNodes = 20'000;
  const OpenSizes open_sizes(graph);
  const std::span<const int64_t> sizes(kOpenSizes);
  const bool few = graph.nodes().size() <= kMaxNodes;
  const uint32_t ways = few ? 1u << open_sizes.unsure() : 1;
  BestShapes best;
  for (uint32_t as_batch = 0; as_batch < ways; ++as_batch) {
    for (int64_t batch : {kBatch, int64_t{1}}) {
      for (int64_t size :
           sizes.first(open_sizes.any_other() ? sizes.size() : 1)) {
        best.Try(graph, open_sizes.Fill(batch, size, as_batch));
        if (best.perfect()) return *best.shapes;
      }
    }
  }
  if (best.shapes) return *best.shapes;
  std::vector<Shape> shapes = open_sizes.Fill(kBatch, kOpenSizes[0]);
  Infer(graph, shapes);  // throws if the graph is invalid
  // The shapes fit but positions do not: TopK or a similar operator chooses
  // from the batch axis.
  for (int64_t size : sizes) {
    best.Try(graph, open_sizes.Fill(size, size));
    if (best.shapes) return *best.shapes;
  }
  return shapes;
}

std::vector<std::vector<Shape>> OtherInputShapes(
    const Graph& graph, const std::vector<Shape>& usual) {
  return OtherShapes(graph, usual).Find();
}

std::optional<std::vector<Shape>> LargeInputShapes(
    const Graph& graph, const std::vector<Shape>& usual) {
  return OtherShapes(graph, usual).Large();
}

}  // namespace rebasin
