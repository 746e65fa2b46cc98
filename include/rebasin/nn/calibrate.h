// Corrects a merged network by running it on data: recalculates its BatchNorm
// statistics, or restores the scale and mean of its activations (REPAIR).
//
//   const rebasin::Checkpoint repaired = rebasin::RecalculateBatchNorm(
//       graph, merged, data.Calibration(10000),
//       {.normalization = data.normalization});
//
// Repair in rebasin/nn/repair.h calls these functions by name, and can choose
// between them. No function here needs labels or changes its arguments.

#ifndef REBASIN_NN_CALIBRATE_H_
#define REBASIN_NN_CALIBRATE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "rebasin/checkpoint.h"
#include "rebasin/nn/compute.h"

namespace rebasin {

// Options of both functions.
struct CalibrateOptions {
  // Device and precision.
  ComputeOptions compute = {};
  // Must be the normalization that the models were trained with.
  Normalization normalization = {};
  // Examples in each batch; smaller batches give noisier BatchNorm statistics.
  int64_t batch_size = 250;
};

// Returns `model` with recalculated running means and variances. The network is
// run once over `data` with batch statistics; each running value becomes the
// plain average over the batches. All other tensors share their bytes with
// `model`. Throws Error(kUnsupported) if the graph has no BatchNorm whose
// statistics are weights, Error(kMismatch) if the data or the model does not
// fit the graph.
Checkpoint RecalculateBatchNorm(const std::shared_ptr<const Graph>& graph,
                                const Checkpoint& model, const Dataset& data,
                                const CalibrateOptions& options = {},
                                const Run& run = {});

enum class ActivationRepair {
  // REPAIR (Jordan et al. 2023): at every site, each channel gets the mean and
  // the standard deviation that the parents have on average.
  kRepair,
  // The standard deviation only: activations are scaled but not shifted.
  kRescale,
};

// Returns `merged`, the merge of `models` with `shares`, with the activations
// corrected at all sites of the graph (RepairSites) except its outputs.
// `models` must be aligned to each other. Sites without a bias are scaled only.
// Runs every model over `data` once, and `merged` once or more. Throws
// Error(kUnsupported) if the graph has no sites, Error(kMismatch) if the
// numbers of models and shares differ or the data does not fit the graph.
Checkpoint RepairActivations(const std::shared_ptr<const Graph>& graph,
                             const Checkpoint& merged,
                             std::span<const Checkpoint> models,
                             std::span<const double> shares,
                             const Dataset& data, ActivationRepair method,
                             const CalibrateOptions& options = {},
                             const Run& run = {});

// Returns `merged`, the merge of `models` with `shares`, with its layers fitted
// to the models one after the other: each weight is the least-squares solution
// that, given what the fitted layers before it produce, comes closest to the
// weighted mean of what the models have after this layer. Norms behind a layer
// are part of it; at the end of a residual branch the sum is fitted. Layers
// whose weights have several uses, and embeddings, stay as they are. `models`
// must be aligned to each other. Two thousand examples are enough for small
// networks, and too few of them are fitted too well; labels are not used.
//
// Runs every model once. Keeps the activations between two layers of all
// models and examples in memory, and for a layer with n inputs (channels times
// window) a matrix of n x n doubles. Throws Error(kUnsupported) if no layer can
// be fitted, Error(kMismatch) if the numbers of models and shares differ or the
// data does not fit the graph, Error(kBadInput) if activations are not finite.
Checkpoint FitToParents(const std::shared_ptr<const Graph>& graph,
                        const Checkpoint& merged,
                        std::span<const Checkpoint> models,
                        std::span<const double> shares, const Dataset& data,
                        const CalibrateOptions& options = {},
                        const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_NN_CALIBRATE_H_
