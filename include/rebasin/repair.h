// Correcting a merged network: where its weights alone can scale and shift the
// channels of a value, and a correction of biases that needs no data.
//
// The mean of two networks' weights does not have the mean of their
// activations: features that differ cancel, and activations shrink, the more
// so the deeper they lie. What can be corrected is found in the graph; how much
// is measured on data, or known beforehand, as for biases.

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

// A value of a graph whose channels can be scaled, and often shifted, by
// changing weights that act on nothing else.
struct RepairSite {
  ValueId value = kNoValue;
  int64_t channel_axis = 0;  // of the value
  int64_t channels = 0;
  // Scaling slice c of each of these scales channel c of the value.
  std::vector<WeightAxis> scaled;
  // Adding to element c of this weight shifts channel c of the value. The
  // name is empty where there is none: the site can only be scaled.
  WeightAxis shifted;
  // In Graph::nodes(): the convolution, the product or the norm, even where the
  // value is what a following Add makes of it.
  size_t node = 0;
  // Layers with weights on the longest path from the graph's inputs to here,
  // this one included (a norm counts as part of the layer before it).
  int depth = 0;
  // Whether the value comes to an output of the graph without passing another
  // layer with weights, as a classifier's logits do.
  bool is_output = false;

  bool can_shift() const { return !shifted.weight.empty(); }
};

// In the order of the nodes. A site is what Conv, ConvTranspose, Gemm or MatMul
// make of data and a weight, with the bias inside or in an Add that follows, or
// what BatchNormalization makes. A layer whose value goes to nothing but a
// BatchNormalization that is a site is none itself. Left out are layers with
// weights that are used elsewhere too (tied, or computed from), and
// ConvTranspose in groups, whose channels lie on no single axis.
//
// Throws Error(kBadInput) where the graph's shapes contradict each other.
std::vector<RepairSite> RepairSites(const Graph& graph);

// A BatchNormalization whose statistics are weights that belong to it alone, so
// that they can be measured anew.
struct BatchNormSite {
  size_t node = 0;           // in Graph::nodes()
  ValueId input = kNoValue;  // what is normalised, channels on axis 1
  ValueId output = kNoValue;
  int64_t channels = 0;
  std::string mean;  // names of weights
  std::string variance;
};

std::vector<BatchNormSite> BatchNormSites(const Graph& graph);
bool HasBatchNorm(const Graph& graph);
// Any layer that rescales its input by the input's own size or by statistics:
// batch, layer, group, instance, root mean square; also where an exporter wrote
// it as a quotient.
bool HasNormalization(const Graph& graph);

// A row of the table of repairs: ways to correct a merged network.
struct RepairMethod {
  const char* name;
  const char* what;  // one line of help
  bool needs_data = false;
  // Whether it can change anything in such a network.
  bool (*applies)(const Graph& graph) = nullptr;
};

// The usual one for most networks first. Those that need data are in
// rebasin/nn/repair.h.
std::span<const RepairMethod> RepairMethods();

// nullptr if there is no such method.
const RepairMethod* FindRepairMethod(const std::string& name);

// The names of those that apply to the network.
std::vector<std::string> RepairsFor(const Graph& graph);
// The first of them, the one to take where nothing can be tried; or "none".
std::string UsualRepair(const Graph& graph);

// The channels' new values at a site are scale * old + shift. An empty list
// leaves them as they are.
struct Correction {
  RepairSite site;
  std::vector<double> scale;
  std::vector<double> shift;
};

// The model with all corrections carried into its weights, one after another;
// other tensors share their bytes with the original. Computed in double and
// stored as the element types that there are. Throws Error(kUsage) for lists
// that are not one finite number a channel, Error(kUnsupported) for shifts
// where the site has none, Error(kMismatch) if the model has not the site's
// weights, Error(kBadInput) if a result overflows its element type.
Checkpoint ApplyCorrections(const Checkpoint& model,
                            std::span<const Correction> corrections);

// The data-free correction of "Vanishing Feature" (Qu and Horvath, 2024). Where
// h layers were averaged, the part of an activation that belongs to model i
// comes out scaled by its share to the h-th power, and biases must shrink
// alike: at depth h the bias of the result is
//
//   sum_i shares[i]^h * bias_i
//
// All else is as in `merged`. The models must be aligned, and have the shares
// that they were merged with (empty: equal ones). Throws Error(kUnsupported) if
// the graph has norms, which undo the shrinking, or no biases; Error(kMismatch)
// if a bias is missing or has another shape.
Checkpoint CorrectBiases(const Graph& graph, const Checkpoint& merged,
                         std::span<const Checkpoint> models,
                         std::span<const double> shares = {});

// Of two models, merged as (1 - lambda) A + lambda B.
Checkpoint CorrectBiases(const Graph& graph, const Checkpoint& merged,
                         const Checkpoint& a, const Checkpoint& b,
                         double lambda);

}  // namespace rebasin

#endif  // REBASIN_REPAIR_H_
