// Correcting a merged network by what it does on data: its BatchNorm statistics
// anew, or the scale and mean of its activations as those of its parents.

#ifndef REBASIN_NN_CALIBRATE_H_
#define REBASIN_NN_CALIBRATE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "rebasin/checkpoint.h"
#include "rebasin/nn/compute.h"

namespace rebasin {

struct CalibrateOptions {
  ComputeOptions compute = {};
  Normalization normalization = {};
  int64_t batch_size = 250;
};

// Running means and variances measured anew: the plain average over batches of
// what each batch has while all BatchNorms use the batch's own. No labels are
// needed. Throws Error(kUnsupported) if the graph has no BatchNorm.
Checkpoint RecalculateBatchNorm(const std::shared_ptr<const Graph>& graph,
                                const Checkpoint& model, const Dataset& data,
                                const CalibrateOptions& options = {},
                                const Run& run = {});

enum class ActivationRepair {
  // REPAIR (Jordan et al. 2023): every channel of every site gets the mean and
  // the deviation that its parents have on average.
  kRepair,
  // The deviation only: activations are scaled and not shifted.
  kRescale,
};

// The merge of `models` with `shares`, corrected at all sites of the graph
// (RepairSites) but its outputs. The models must be aligned. Sites without a
// bias are scaled only. Throws Error(kUnsupported) if there are no sites,
// Error(kMismatch) if models and shares do not fit.
Checkpoint RepairActivations(const std::shared_ptr<const Graph>& graph,
                             const Checkpoint& merged,
                             std::span<const Checkpoint> models,
                             std::span<const double> shares,
                             const Dataset& data, ActivationRepair method,
                             const CalibrateOptions& options = {},
                             const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_NN_CALIBRATE_H_
