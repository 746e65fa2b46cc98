// Repairs a merged network by changing its weights: finds the layers whose
// channels can be scaled and shifted, and corrects biases without data.
//
//   std::vector<rebasin::Correction> corrections;
//   for (const rebasin::RepairSite& site : rebasin::RepairSites(graph)) {
//     corrections.push_back({site, ScalesFor(site), {}});
//   }
//   const auto repaired = rebasin::ApplyCorrections(merged, corrections);
//
// Averaging the weights of two networks does not average their activations:
// features that differ cancel, and activations shrink, more in deeper layers.
// The sites of corrections are found in the graph. Their amounts are measured
// on data (rebasin/nn/repair.h) or known in advance, as for biases.

#ifndef REBASIN_REPAIR_H_
#define REBASIN_REPAIR_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"

namespace rebasin {

// The axis of a weight that runs over the channels of a site.
struct WeightAxis {
  std::string weight;
  int64_t axis = 0;

  friend bool operator==(const WeightAxis&, const WeightAxis&) = default;
};

// A value whose channels can be scaled, and often shifted, by changing weights
// that have no other effect.
struct RepairSite {
  ValueId value = kNoValue;
  int64_t channel_axis = 0;  // of the value
  int64_t channels = 0;
  // Multiplying slice c of each of these multiplies channel c of the value.
  std::vector<WeightAxis> scaled;
  // Adding to element c of this weight adds to channel c of the value. An empty
  // name means that the site can only be scaled.
  WeightAxis shifted;
  // The convolution, matrix product or norm in Graph::nodes(), even if the
  // value is the output of an Add that follows it.
  size_t node = 0;
  // The number of layers with weights on the longest path from the graph's
  // inputs, this one included. A norm belongs to the layer before it.
  int depth = 0;
  // True if the value reaches an output without passing another layer with
  // weights, as the logits of a classifier do.
  bool is_output = false;

  bool can_shift() const { return !shifted.weight.empty(); }
};

// Returns the sites of a graph in node order. A site is the output of a Conv,
// ConvTranspose, Gemm or MatMul with a weight, including the bias that a
// following Add contributes, or of a BatchNormalization. Excluded are layers
// that only feed a BatchNormalization that is itself a site, layers whose
// weights have other uses (tied, or computed from), and grouped ConvTranspose,
// whose channels are not on a single axis.
//
// Throws Error(kBadInput) if the shapes of the graph contradict each other.
std::vector<RepairSite> RepairSites(const Graph& graph);

// A BatchNormalization whose running statistics are weights used nowhere else,
// so that they can be recalculated.
struct BatchNormSite {
  size_t node = 0;           // in Graph::nodes()
  ValueId input = kNoValue;  // the normalised value; channels on axis 1
  ValueId output = kNoValue;
  int64_t channels = 0;
  std::string mean;  // weight names of the statistics
  std::string variance;
};

// Returns the BatchNorm layers of a graph in node order.
std::vector<BatchNormSite> BatchNormSites(const Graph& graph);
// True if BatchNormSites is not empty.
bool HasBatchNorm(const Graph& graph);
// True if the graph has any layer that divides its input by its own norm or by
// statistics: batch, layer, group, instance or RMS norm, also when exported as
// separate operators.
bool HasNormalization(const Graph& graph);

// A row of the table of repair methods.
struct RepairMethod {
  const char* name;
  const char* help;  // one line
  bool needs_data = false;
  // Returns true if the method can change such a network.
  bool (*applies)(const Graph& graph) = nullptr;
};

// Returns the table, with the usual method for most networks first. Methods
// with needs_data are run by Repair in rebasin/nn/repair.h.
std::span<const RepairMethod> RepairMethods();

// Returns the method's row, or nullptr if there is no such method.
const RepairMethod* FindRepairMethod(const std::string& name);

// Returns the names of the methods that apply to the network.
std::vector<std::string> RepairsFor(const Graph& graph);
// Returns the first of them, which is used when none can be tried; or "none".
std::string UsualRepair(const Graph& graph);

// A correction of one site: new channel value = scale * old value + shift. An
// empty list leaves the channels as they are.
struct Correction {
  RepairSite site;
  std::vector<double> scale;
  std::vector<double> shift;
};

// Returns the model with all corrections applied to its weights, in order.
// Other tensors share their bytes with `model`. Computes in double and keeps
// element types. Throws Error(kUsage) for lists that do not have one finite
// number for each channel, Error(kUnsupported) for shifts at a site that cannot
// be shifted, Error(kMismatch) if the model lacks weights of a site,
// Error(kBadInput) if a result overflows its element type.
Checkpoint ApplyCorrections(const Checkpoint& model,
                            std::span<const Correction> corrections);

// The bias correction of "Vanishing Feature" (Qu and Horvath, 2024), which
// needs no data. After averaging h layers, the part of an activation that comes
// from model i is scaled by shares[i]^h, and biases must shrink in the same
// way. The bias at depth h becomes
//
//   sum_i shares[i]^h * bias_i
//
// All other tensors are those of `merged`. `models` must be aligned and
// `shares` must be those of the merge (empty: equal). Throws
// Error(kUnsupported) if the graph has norms, which undo the shrinking, or no
// biases; Error(kMismatch) if a bias is missing or has another shape.
Checkpoint CorrectBiases(const Graph& graph, const Checkpoint& merged,
                         std::span<const Checkpoint> models,
                         std::span<const double> shares = {});

// The same for two models merged as (1 - lambda) A + lambda B.
Checkpoint CorrectBiases(const Graph& graph, const Checkpoint& merged,
                         const Checkpoint& a, const Checkpoint& b,
                         double lambda);

}  // namespace rebasin

#endif  // REBASIN_REPAIR_H_
