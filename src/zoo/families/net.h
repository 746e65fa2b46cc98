// What the builder of a family works with: the graph that grows, the settings
// and the names of the model's tensors.

#ifndef REBASIN_ZOO_FAMILIES_NET_H_
#define REBASIN_ZOO_FAMILIES_NET_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "rebasin/checkpoint.h"
#include "zoo/families/config.h"
#include "zoo/layers.h"

namespace rebasin::zoo {

// The length of the inputs of all sequence models. No symmetry depends on it.
inline constexpr int64_t kSequence = 8;

struct Net {
  GraphBuilder& g;
  const FamilyConfig& config;
  const Checkpoint& weights;
  // In front of the names of the base model ("model.", or nothing if it was
  // saved by itself), and of those outside of it ("lm_head").
  std::string base = {}, outer = {};
  // Pairs of a stored copy and the tensor of which it is one.
  std::vector<std::pair<std::string, std::string>> ties = {};

  bool Has(const std::string& name) const {
    return weights.Find(name) != nullptr;
  }
  // Whether the model has a head of this kind: "architectures" of the config
  // says so, or, for heads that most models have, the names do.
  bool IsArchitecture(std::string_view ending) const;
};

// The number of layers that the config says. Throws Error(kMismatch) unless the
// model has tensors of the last of them, PREFIX.N. in front, and of none after
// it.
int64_t LayerCount(const Net& net, Keys keys, const std::string& prefix);
void CheckLayerCount(const Net& net, int64_t layers, const std::string& prefix,
                     const std::string& what = "layers");

// A dense layer whose weight is [inputs, outputs].
ValueId Conv1D(GraphBuilder& g, const std::string& name, ValueId x,
               int64_t outputs, bool bias = true);

// An input of token ids, or of other integers of a sequence.
ValueId SequenceInput(GraphBuilder& g, const std::string& name = "input_ids",
                      int64_t length = kSequence);

// 0, 1, ...: the positions of a sequence.
ValueId PositionIds(GraphBuilder& g);

// A learned value for each position: rows `first` and on of the table
// NAME.weight. Throws Error(kBadInput) if it is too short.
ValueId Positions(Net& net, const std::string& name, int64_t rows,
                  int64_t width, int64_t first = 0);

// The activation with the name that configs use. Throws Error(kUnsupported) for
// unknown ones.
ValueId Activated(Net& net, const std::string& name, ValueId x);

// How values are normalised over their last axis.
enum class NormKind {
  kLayer,       // LayerNorm with weight and bias
  kLayerPlain,  // LayerNorm with a weight only
  kBare,        // LayerNorm without weights
  kRms,         // root mean square
  kRmsPlusOne,  // the same, times 1 + weight
};
struct NormStyle {
  NormKind kind = NormKind::kLayer;
  double epsilon = 1e-5;
};
ValueId Normalized(GraphBuilder& g, const std::string& name, ValueId x,
                   const NormStyle& style);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_FAMILIES_NET_H_
