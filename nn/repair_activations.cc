#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "nn/batches.h"
#include "nn/classifier.h"
#include "nn/shares.h"
#include "nn/weights.h"
#include "rebasin/error.h"
#include "rebasin/nn/calibrate.h"
#include "rebasin/repair.h"

namespace rebasin {
namespace {

// Mean and variance of each channel of a value.
struct Moments {
  at::Tensor mean = {}, variance = {};
};

// A unit with a smaller deviation, relative to the largest one of the site, is
// dead and is not scaled up.
constexpr double kDead = 1e-6;

Moments Measure(const at::Tensor& value, int64_t axis) {
  std::vector<int64_t> others;
  for (int64_t i = 0; i < value.dim(); ++i) {
    if (i != axis) others.push_back(i);
  }
  const auto [variance, mean] =
      at::var_mean(value.to(at::kDouble), others, /*unbiased=*/false);
  return {mean, variance};
}

// Reshapes to the channel axis of a value of this rank.
at::Tensor Broadcast(const at::Tensor& channels, int64_t axis, int64_t rank) {
  std::vector<int64_t> shape(rank, 1);
  shape[axis] = channels.numel();
  return channels.view(shape);
}

// Transforms values with moments `now` to values with moments `goal`.
struct Change {
  at::Tensor scale = {}, shift = {};
};

Change ChangeTo(const Moments& now, const Moments& goal, bool shifts) {
  const at::Tensor deviation = now.variance.sqrt();
  const at::Tensor dead = deviation <= kDead * deviation.max();
  const at::Tensor scale = at::where(dead, at::ones_like(deviation),
                                     goal.variance.sqrt() / deviation);
  if (!shifts) return {scale, at::zeros_like(scale)};
  return {scale, goal.mean - scale * now.mean};
}

class Repairer {
 public:
  Repairer(const std::shared_ptr<const Graph>& graph, const Dataset& data,
           ActivationRepair method, const CalibrateOptions& options,
           const rebasin::Run& run)
      : graph_(graph),
        data_(data),
        method_(method),
        options_(options),
        run_(run),
        classifier_(graph, data, options.compute),
        pool_(run.threads) {
    options_.batch_size = classifier_.BatchSizeOr(options.batch_size);
    for (RepairSite& site : RepairSites(*graph)) {
      if (!site.is_output) sites_.push_back(std::move(site));
    }
    if (sites_.empty()) {
      throw Error(ErrorCode::kUnsupported,
                  "nothing to repair in this network: no layer before the last "
                  "one has weights of its own");
    }
  }

  // Returns the averages over all batches, by site. With a goal, each site is
  // repaired on the way, as well as the batch allows, so that later sites see
  // repaired values.
  std::vector<Moments> Run(const Checkpoint& model,
                           const std::vector<Moments>* goal) {
    const nn::Weights weights(graph_, model);
    const std::vector<at::Tensor> prepared = classifier_.Prepare(weights);
    std::vector<std::vector<Moments>> found(
        nn::BatchCount(data_, options_.batch_size));
    nn::ForBatches(pool_, data_,
                   {.batch_size = options_.batch_size,
                    .normalization = options_.normalization,
                    .stage = "repairing"},
                   run_,
                   [&](int64_t index, const at::Tensor& examples,
                       std::span<const int64_t>) {
                     found[index].resize(sites_.size());
                     const auto hooks = Hooks(goal, found[index]);
                     classifier_.Logits(prepared, examples, {.hooks = hooks});
                   });
    return Average(found);
  }

  std::vector<Correction> Corrections(const std::vector<Moments>& now,
                                      const std::vector<Moments>& goal) const {
    std::vector<Correction> corrections;
    for (size_t s = 0; s < sites_.size(); ++s) {
      const bool shifts = Shifts(sites_[s]);
      const Change change = ChangeTo(now[s], goal[s], shifts);
      corrections.push_back(
          {.site = sites_[s],
           .scale = Numbers(change.scale),
           .shift = shifts ? Numbers(change.shift) : std::vector<double>()});
    }
    return corrections;
  }

 private:
  bool Shifts(const RepairSite& site) const {
    return method_ == ActivationRepair::kRepair && site.can_shift();
  }

  std::vector<nn::ValueHook> Hooks(const std::vector<Moments>* goal,
                                   std::vector<Moments>& found) const {
    std::vector<nn::ValueHook> hooks;
    for (size_t s = 0; s < sites_.size(); ++s) {
      hooks.push_back(
          {sites_[s].value, [this, s, goal, &found](const at::Tensor& value) {
             found[s] = Measure(value, sites_[s].channel_axis);
             if (goal == nullptr) return value;
             const Change change =
                 ChangeTo(found[s], (*goal)[s], Shifts(sites_[s]));
             const auto spread = [&](const at::Tensor& channels) {
               return Broadcast(channels.to(value.scalar_type()),
                                sites_[s].channel_axis, value.dim());
             };
             return value * spread(change.scale) + spread(change.shift);
           }});
    }
    return hooks;
  }

  std::vector<Moments> Average(
      const std::vector<std::vector<Moments>>& batches) const {
    std::vector<Moments> sums(sites_.size());
    for (size_t s = 0; s < sums.size(); ++s) {
      sums[s] = {at::zeros_like(batches[0][s].mean),
                 at::zeros_like(batches[0][s].variance)};
      for (const std::vector<Moments>& batch : batches) {
        sums[s].mean += batch[s].mean / static_cast<double>(batches.size());
        sums[s].variance +=
            batch[s].variance / static_cast<double>(batches.size());
      }
    }
    return sums;
  }

  static std::vector<double> Numbers(const at::Tensor& channels) {
    const double* begin = channels.data_ptr<double>();
    return {begin, begin + channels.numel()};
  }

  std::shared_ptr<const Graph> graph_;
  const Dataset& data_;
  ActivationRepair method_;
  CalibrateOptions options_;
  const rebasin::Run& run_;
  nn::Classifier classifier_;
  ThreadPool pool_;
  std::vector<RepairSite> sites_;
};

// Averages means and deviations (not variances).
void AddShare(const std::vector<Moments>& moments, double share,
              std::vector<Moments>& goal) {
  goal.resize(moments.size());
  for (size_t s = 0; s < moments.size(); ++s) {
    const at::Tensor mean = share * moments[s].mean;
    const at::Tensor deviation = share * moments[s].variance.sqrt();
    const bool first = !goal[s].mean.defined();
    goal[s].mean = first ? mean : goal[s].mean + mean;
    // Squared after the last one was added.
    goal[s].variance = first ? deviation : goal[s].variance + deviation;
  }
}

}  // namespace

Checkpoint RepairActivations(const std::shared_ptr<const Graph>& graph,
                             const Checkpoint& merged,
                             std::span<const Checkpoint> models,
                             std::span<const double> shares,
                             const Dataset& data, ActivationRepair method,
                             const CalibrateOptions& options, const Run& run) {
  nn::RequireShares(models, shares);
  const c10::NoGradGuard no_gradients;
  Repairer repairer(graph, data, method, options, run);
  std::vector<Moments> goal;
  for (size_t m = 0; m < models.size(); ++m) {
    AddShare(repairer.Run(models[m], nullptr), shares[m], goal);
  }
  for (Moments& moments : goal) moments.variance = moments.variance.square();
  const std::vector<Moments> now = repairer.Run(merged, &goal);
  return ApplyCorrections(merged, repairer.Corrections(now, goal));
}

}  // namespace rebasin
