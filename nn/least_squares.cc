// Fits the layers of a merged network, one after the other, to the mean of what
// its parents compute.
//
// Each layer is given what the layers before it, already fitted, produce. At
// the end of a residual branch the layer is fitted to what is missing in the
// sum, so that it makes up for errors of the other branch.

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/in_order.h"
#include "nn/batches.h"
#include "nn/classifier.h"
#include "nn/factor_moments.h"
#include "nn/linear_rows.h"
#include "nn/normal_equations.h"
#include "nn/stepped_run.h"
#include "nn/threads.h"
#include "nn/weights.h"
#include "rebasin/error.h"
#include "rebasin/nn/calibrate.h"
#include "repair/depth_order.h"
#include "repair/fit_sites.h"

namespace rebasin {
namespace {

using nn::SteppedRun;

// The penalty relative to the mean square of the inputs. 1e-4 to 1e-2 are
// alike.
constexpr double kRidge = 1e-3;
// Rows for each weight of an output; more do not help.
constexpr double kRowsPerInput = 64;
constexpr int64_t kMaxPlaceStep = 2;

// What waits between two layers: all models on one batch.
struct BatchState {
  std::vector<SteppedRun> parents = {};
  std::optional<SteppedRun> merged = {};
  // By site: the mean of what the parents have there.
  std::map<size_t, at::Tensor> targets = {};
};

class LayerFitter {
 public:
  LayerFitter(const std::shared_ptr<const Graph>& graph,
              const Checkpoint& merged, std::span<const Checkpoint> models,
              std::span<const double> shares, const Dataset& data,
              const CalibrateOptions& options, const rebasin::Run& run)
      : graph_(std::make_shared<const Graph>(InOrderOfDepth(*graph))),
        flow_(*graph_),
        sites_(FitSites(*graph_)),
        shares_(shares),
        data_(data),
        options_(options),
        run_(run),
        classifier_(graph_, data, options.compute),
        pool_(run.threads),
        original_(merged),
        weights_(graph_, merged) {
    options_.batch_size = classifier_.BatchSizeOr(kBatch);
    if (sites_.empty()) {
      throw Error(ErrorCode::kUnsupported,
                  "no layer of this network can be fitted: their weights are "
                  "used more than once");
    }
    for (const Checkpoint& model : models) {
      parents_.push_back(classifier_.Prepare(nn::Weights(graph_, model)));
    }
    IndexGraph();
  }

  Checkpoint Run() {
    StartBatches();
    for (size_t s = 0; s < sites_.size(); ++s) {
      run_.Report("fitting layers", static_cast<int64_t>(s),
                  static_cast<int64_t>(sites_.size()));
      Fit(s);
    }
    return weights_.ToCheckpoint(original_);
  }

 private:
  static constexpr int64_t kBatch = 50;

  void IndexGraph() {
    for (size_t i = 0; i < graph_->weights().size(); ++i) {
      weight_index_[graph_->weights()[i]] = i;
    }
    for (size_t s = 0; s < sites_.size(); ++s) {
      targets_at_[sites_[s].target].push_back(s);
    }
    for (size_t n = 0; n < graph_->nodes().size(); ++n) {
      for (ValueId id : graph_->nodes()[n].outputs) {
        if (id != kNoValue) made_at_[id] = n;
      }
    }
  }

  void StartBatches() {
    batches_.resize(nn::BatchCount(data_, options_.batch_size));
    nn::ForBatches(pool_, data_,
                   {.batch_size = options_.batch_size,
                    .normalization = options_.normalization},
                   run_.WithoutProgress(),
                   [&](int64_t index, const at::Tensor& examples,
                       std::span<const int64_t>) {
                     const std::vector<at::Tensor> inputs = {
                         classifier_.InputFrom(examples)};
                     const SteppedRun start(classifier_.network(), flow_,
                                            inputs);
                     batches_[index].parents =
                         std::vector<SteppedRun>(parents_.size(), start);
                     batches_[index].merged.emplace(start);
                   });
  }

  // Calls task(index) for all batches, and part(index) in their order.
  template <typename Task, typename Part>
  void ForBatches(const Task& task, const Part& part) {
    InOrder in_order;
    const nn::BlasThreads serial_blas(1);
    pool_.For(static_cast<int64_t>(batches_.size()), [&](int64_t index) {
      const c10::NoGradGuard no_gradients;
      const nn::OperatorThreads one_thread(1);
      try {
        run_.CheckStop();
        const auto found = task(index);
        in_order.Run(index, [&] { part(found); });
      } catch (...) {
        in_order.Fail();
        throw;
      }
    });
  }

  void Fit(size_t s) {
    const std::vector<at::Tensor> merged = classifier_.Prepare(weights_);
    if (sites_[s].kind == FitSite::Kind::kFactors) return FitFactors(s, merged);
    FitProduct(s, merged);
  }

  void FitProduct(size_t s, const std::vector<at::Tensor>& merged) {
    const FitSite& site = sites_[s];
    nn::Moments sum;
    std::optional<nn::LinearRows> shape;
    ForBatches(
        [&](int64_t index) {
          nn::Moments batch;
          AtSite(s, index, merged, [&](const nn::Runner& runner) {
            const nn::LinearRows rows(StepAt(runner, site.node),
                                      WeightAt(site.weight).sizes().vec());
            const nn::Places places = PlacesFor(rows, index);
            const Node& node = graph_->nodes()[site.node];
            batch =
                nn::MomentsOf(rows.Inputs(runner.value(node.inputs[0]), places),
                              rows.Outputs(TargetOf(s, index, runner), places));
          });
          return batch;
        },
        [&](const nn::Moments& batch) { nn::Add(batch, sum); });
    const bool with_bias = site.norm || site.bias != kNoValue;
    Store(site, nn::Solve(sum, kRidge, with_bias));
  }

  void FitFactors(size_t s, const std::vector<at::Tensor>& merged) {
    const FitSite& site = sites_[s];
    nn::FactorMoments sum;
    ForBatches(
        [&](int64_t index) {
          nn::FactorMoments batch;
          AtSite(s, index, merged, [&](const nn::Runner& runner) {
            batch = nn::FactorMomentsOf(WithoutFactors(site, runner),
                                        TargetOf(s, index, runner),
                                        site.factor_shape);
          });
          return batch;
        },
        [&](const nn::FactorMoments& batch) { nn::Add(batch, sum); });
    const nn::FactorFit fit = nn::Solve(sum, kRidge, site.bias != kNoValue);
    Set(site.weight, fit.factor);
    if (site.bias != kNoValue) Set(site.bias, fit.term);
  }

  // Runs the parents to the site's target, and the merged network to its node.
  void AtSite(size_t s, int64_t index, const std::vector<at::Tensor>& merged,
              const SteppedRun::Pause& pause) {
    BatchState& batch = batches_[index];
    const size_t end = made_at_.at(sites_[s].target) + 1;
    for (size_t p = 0; p < parents_.size(); ++p) {
      batch.parents[p].Advance(parents_[p], end,
                               [&](const Node& node, const nn::Runner& runner) {
                                 for (ValueId id : node.outputs)
                                   AddTarget(batch, id, p, runner);
                               });
    }
    batch.merged->Advance(merged, sites_[s].node, {}, pause);
    batch.targets.erase(s);
  }

  void AddTarget(BatchState& batch, ValueId id, size_t parent,
                 const nn::Runner& runner) const {
    const auto found = targets_at_.find(id);
    if (found == targets_at_.end()) return;
    for (size_t s : found->second) {
      const at::Tensor share = runner.value(id) * shares_[parent];
      at::Tensor& target = batch.targets[s];
      target = target.defined() ? target + share : share;
    }
  }

  // What the layer is to give: in the layout of its output.
  at::Tensor TargetOf(size_t s, int64_t index, const nn::Runner& runner) const {
    const FitSite& site = sites_[s];
    at::Tensor target = batches_[index].targets.at(s);
    for (ValueId term : site.rest) target = target - runner.value(term);
    return site.axes.empty() ? target : target.permute(site.axes);
  }

  // The output of the node with all factors 1 and all terms 0.
  at::Tensor WithoutFactors(const FitSite& site,
                            const nn::Runner& runner) const {
    nn::Runner bare = runner;
    bare.Set(site.weight, at::ones_like(runner.value(site.weight)));
    if (site.bias != kNoValue) {
      bare.Set(site.bias, at::zeros_like(runner.value(site.bias)));
    }
    bare.RunStep(StepAt(runner, site.node));
    return bare.value(graph_->nodes()[site.node].outputs[0]);
  }

  const nn::Step& StepAt(const nn::Runner& runner, size_t node) const {
    const std::vector<nn::Step>& steps = runner.plan().steps();
    const auto found = std::lower_bound(
        steps.begin(), steps.end(), &graph_->nodes()[node],
        [](const nn::Step& step, const Node* n) { return step.node < n; });
    assert(found != steps.end());
    return *found;
  }

  nn::Places PlacesFor(const nn::LinearRows& rows, int64_t index) const {
    const nn::SystemSize& size = rows.size();
    if (rows.axes() == 0) return {};
    const auto times = static_cast<double>(
        size.places_are_of_example ? data_.size()
                                   : static_cast<int64_t>(batches_.size()));
    const double surplus = times * static_cast<double>(size.places) /
                           (kRowsPerInput * static_cast<double>(size.inputs));
    const double step = std::pow(surplus, 1 / static_cast<double>(rows.axes()));
    nn::Places places;
    places.step =
        std::clamp(static_cast<int64_t>(step), int64_t{1}, kMaxPlaceStep);
    places.offset = index % places.step;
    return places;
  }

  void Store(const FitSite& site, const nn::LinearFit& fit) {
    const nn::LinearRows rows = RowsOfFirstBatch(site);
    Set(site.weight, rows.Weight(fit.weight, site.channel_axis));
    if (!site.norm) {
      if (site.bias != kNoValue) Set(site.bias, fit.bias);
      return;
    }
    // The norm has the statistics that it would measure, and undoes them.
    if (site.bias != kNoValue) WeightAt(site.bias).zero_();
    Set(site.norm->mean, fit.mean);
    Set(site.norm->variance, fit.variance);
    Set(site.norm->gain, (fit.variance + site.norm->epsilon).sqrt());
    Set(site.norm->bias, fit.bias + fit.mean);
  }

  nn::LinearRows RowsOfFirstBatch(const FitSite& site) {
    std::optional<nn::LinearRows> rows;
    batches_[0].merged->Advance(
        classifier_.Prepare(weights_), 0, {}, [&](const nn::Runner& runner) {
          rows.emplace(StepAt(runner, site.node),
                       WeightAt(site.weight).sizes().vec());
        });
    return *rows;
  }

  at::Tensor WeightAt(ValueId id) const {
    return weights_.tensors()[weight_index_.at(id)];
  }
  void Set(ValueId id, const at::Tensor& values) {
    at::Tensor weight = WeightAt(id);
    weight.copy_(values.reshape(weight.sizes()));
  }

  std::shared_ptr<const Graph> graph_;
  Flow flow_;
  std::vector<FitSite> sites_;
  std::span<const double> shares_;
  const Dataset& data_;
  CalibrateOptions options_;
  const rebasin::Run& run_;
  nn::Classifier classifier_;
  ThreadPool pool_;
  const Checkpoint& original_;
  nn::Weights weights_;  // of the merged network
  std::vector<std::vector<at::Tensor>> parents_;
  std::vector<BatchState> batches_;
  std::map<ValueId, size_t> weight_index_;
  std::map<ValueId, std::vector<size_t>> targets_at_;
  std::map<ValueId, size_t> made_at_;
};

}  // namespace

Checkpoint FitToParents(const std::shared_ptr<const Graph>& graph,
                        const Checkpoint& merged,
                        std::span<const Checkpoint> models,
                        std::span<const double> shares, const Dataset& data,
                        const CalibrateOptions& options, const Run& run) {
  if (models.empty() || models.size() != shares.size()) {
    throw Error(ErrorCode::kMismatch,
                std::to_string(models.size()) + " models and " +
                    std::to_string(shares.size()) + " shares");
  }
  const c10::NoGradGuard no_gradients;
  return LayerFitter(graph, merged, models, shares, data, options, run).Run();
}

}  // namespace rebasin
