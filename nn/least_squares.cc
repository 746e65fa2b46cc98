// Fits the layers of a merged network, one after the other, to the mean of what
// its parents compute.
//
// Each layer is given what the layers before it, already fitted, produce. At
// the end of a residual branch the layer is fitted to what is missing in the
// sum, so that it makes up for errors of the other branch.

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/in_order.h"
#include "nn/classifier.h"
#include "nn/factor_moments.h"
#include "nn/few_rows.h"
#include "nn/fit_runs.h"
#include "nn/linear_rows.h"
#include "nn/normal_equations.h"
#include "nn/shares.h"
#include "nn/threads.h"
#include "nn/weights.h"
#include "rebasin/error.h"
#include "rebasin/nn/calibrate.h"
#include "repair/depth_order.h"
#include "repair/fit_sites.h"

namespace rebasin {
namespace {

using SiteView = nn::FitRuns::SiteView;

constexpr int64_t kBatch = 50;
// The penalty relative to the mean square of the inputs. 1e-4 to 1e-2 are
// alike.
constexpr double kRidge = 1e-3;
// Rows for each weight of an output; more do not help.
constexpr double kRowsPerInput = 64;
constexpr int64_t kMaxPlaceStep = 2;
// Improvements of a layer in front of a rectifier. The largest step that
// descends is 2.
constexpr int kRectifiedSteps = 2;
constexpr double kRectifiedStep = 1.7;

// What one product is given and is to give, at some places of a batch.
struct Rows {
  at::Tensor inputs = {}, target = {};
  // What is added to the product; undefined if nothing is.
  at::Tensor rest = {};
};

// Behind a rectifier, a number below zero is right if it should be below zero,
// and only the part above zero is wrong otherwise. Plain least squares for
// these errors, again and again, never increase their squares (majorisation).
at::Tensor RectifiedErrors(const at::Tensor& target, const at::Tensor& found) {
  return at::where(target > 0, target - found, -at::relu(found));
}

class LayerFitter {
 public:
  LayerFitter(const std::shared_ptr<const Graph>& graph,
              const Checkpoint& merged, std::span<const Checkpoint> models,
              std::span<const double> shares, const Dataset& data,
              const CalibrateOptions& options, const rebasin::Run& run)
      : graph_(std::make_shared<const Graph>(InOrderOfDepth(*graph))),
        flow_(*graph_),
        sites_(FitSites(*graph_)),
        examples_(data.size()),
        run_(run),
        classifier_(graph_, data, options.compute),
        pool_(run.threads),
        original_(merged),
        weights_(graph_, merged),
        parents_(Prepared(models)),
        runs_(classifier_, flow_, sites_, parents_, shares, pool_) {
    if (sites_.empty()) {
      throw Error(ErrorCode::kUnsupported,
                  "no layer of this network can be fitted: their weights are "
                  "used more than once");
    }
    for (size_t i = 0; i < graph_->weights().size(); ++i) {
      weight_index_[graph_->weights()[i]] = i;
    }
    runs_.Start(data,
                {.batch_size = classifier_.BatchSizeOr(kBatch),
                 .normalization = options.normalization},
                run_.WithoutProgress());
  }

  Checkpoint Run() {
    for (size_t s = 0; s < sites_.size(); ++s) {
      run_.Report("fitting layers", static_cast<int64_t>(s),
                  static_cast<int64_t>(sites_.size()));
      if (sites_[s].kind == FitSite::Kind::kFactors) {
        FitFactors(s);
      } else {
        FitProduct(s);
      }
    }
    return weights_.ToCheckpoint(original_);
  }

 private:
  std::vector<std::vector<at::Tensor>> Prepared(
      std::span<const Checkpoint> models) const {
    std::vector<std::vector<at::Tensor>> prepared;
    for (const Checkpoint& model : models) {
      prepared.push_back(classifier_.Prepare(nn::Weights(graph_, model)));
    }
    return prepared;
  }

  // Returns the sum over all batches, in their order, of what `measure` makes
  // of each.
  template <typename Measure>
  auto SumOver(size_t s, const Measure& measure) {
    using Sums = decltype(measure(std::declval<const SiteView&>()));
    Sums sum;
    const std::vector<at::Tensor> merged = classifier_.Prepare(weights_);
    InOrder in_order;
    const nn::BlasThreads serial_blas(1);
    pool_.For(runs_.batches(), [&](int64_t index) {
      const c10::NoGradGuard no_gradients;
      const nn::OperatorThreads one_thread(1);
      try {
        run_.CheckStop();
        Sums batch;
        runs_.Visit(s, index, merged,
                    [&](const SiteView& view) { batch = measure(view); });
        in_order.Run(index, [&] { Add(batch, sum); });
      } catch (...) {
        in_order.Fail();
        throw;
      }
    });
    return sum;
  }

  void FitProduct(size_t s) {
    const nn::LinearRows rows(runs_.StepOf(s), ShapeOf(sites_[s].weight));
    const bool few = RowCount(rows) < rows.size().inputs;
    const nn::LinearFit fit =
        few ? Fitted<nn::FewRowsSystem>(
                  s,
                  [](const at::Tensor& inputs, const at::Tensor& outputs) {
                    return nn::KeptRows{{inputs}, {outputs}};
                  })
            : Fitted<nn::LinearSystem>(s, nn::MomentsOf);
    Store(sites_[s], rows, fit);
  }

  template <typename System, typename Sums>
  nn::LinearFit Fitted(size_t s, const Sums& sums_of) {
    const FitSite& site = sites_[s];
    const auto sums = SumOver(s, [&](const SiteView& view) {
      const Rows rows = RowsAt(site, view);
      return sums_of(rows.inputs, rows.rest.defined() ? rows.target - rows.rest
                                                      : rows.target);
    });
    System system(sums, kRidge, site.norm || site.bias != kNoValue);
    for (int i = 0; site.rectified && i < kRectifiedSteps; ++i) {
      const auto errors = SumOver(s, [&](const SiteView& view) {
        const Rows rows = RowsAt(site, view);
        at::Tensor found = system.Outputs(rows.inputs);
        if (rows.rest.defined()) found.add_(rows.rest);
        return system.SumsOf(rows.inputs, RectifiedErrors(rows.target, found));
      });
      system.Improve(errors, kRectifiedStep);
    }
    return system.Fit();
  }

  void FitFactors(size_t s) {
    const FitSite& site = sites_[s];
    const auto sums = SumOver(s, [&](const SiteView& view) {
      at::Tensor target = view.target;
      for (ValueId term : site.rest) target = target - view.runner.value(term);
      return nn::FactorMomentsOf(WithoutFactors(site, view),
                                 InLayoutOf(site, target), site.factor_shape);
    });
    const nn::FactorFit fit = nn::Solve(sums, kRidge, site.bias != kNoValue);
    Set(site.weight, fit.factor);
    if (site.bias != kNoValue) Set(site.bias, fit.term);
  }

  // A value of the sum in the layout of the layer's output.
  static at::Tensor InLayoutOf(const FitSite& site, const at::Tensor& value) {
    return site.axes.empty() ? value : value.permute(site.axes);
  }

  Rows RowsAt(const FitSite& site, const SiteView& view) const {
    const nn::LinearRows rows(view.step, ShapeOf(site.weight));
    const nn::Places places = PlacesFor(rows, view.batch);
    const auto outputs = [&](const at::Tensor& value) {
      return rows.Outputs(InLayoutOf(site, value), places);
    };
    Rows found{.inputs = rows.Inputs(
                   view.runner.value(view.step.node->inputs[0]), places),
               .target = outputs(view.target)};
    for (ValueId id : site.rest) {
      const at::Tensor term =
          outputs(view.runner.value(id).expand_as(view.target));
      found.rest = found.rest.defined() ? found.rest + term : term;
    }
    return found;
  }

  // The output of the node with all factors 1 and all terms 0.
  at::Tensor WithoutFactors(const FitSite& site, const SiteView& view) const {
    nn::Runner bare = view.runner;
    bare.Set(site.weight, at::ones_like(bare.value(site.weight)));
    if (site.bias != kNoValue) {
      bare.Set(site.bias, at::zeros_like(bare.value(site.bias)));
    }
    bare.RunStep(view.step);
    return bare.value(view.step.node->outputs[0]);
  }

  // The number of rows of all examples and places.
  double RowCount(const nn::LinearRows& rows) const {
    const nn::SystemSize& size = rows.size();
    return static_cast<double>(size.places) *
           static_cast<double>(size.places_are_of_example ? examples_
                                                          : runs_.batches());
  }

  nn::Places PlacesFor(const nn::LinearRows& rows, int64_t batch) const {
    if (rows.axes() == 0) return {};
    const double surplus =
        RowCount(rows) /
        (kRowsPerInput * static_cast<double>(rows.size().inputs));
    const double step = std::pow(surplus, 1 / static_cast<double>(rows.axes()));
    nn::Places places;
    places.step =
        std::clamp(static_cast<int64_t>(step), int64_t{1}, kMaxPlaceStep);
    places.offset = batch % places.step;
    return places;
  }

  void Store(const FitSite& site, const nn::LinearRows& rows,
             const nn::LinearFit& fit) {
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

  at::Tensor WeightAt(ValueId id) const {
    return weights_.tensors()[weight_index_.at(id)];
  }
  Shape ShapeOf(ValueId id) const { return WeightAt(id).sizes().vec(); }
  void Set(ValueId id, const at::Tensor& values) {
    at::Tensor weight = WeightAt(id);
    weight.copy_(values.reshape(weight.sizes()));
  }

  std::shared_ptr<const Graph> graph_;
  Flow flow_;
  std::vector<FitSite> sites_;
  int64_t examples_;
  const rebasin::Run& run_;
  nn::Classifier classifier_;
  ThreadPool pool_;
  const Checkpoint& original_;
  nn::Weights weights_;  // of the merged network
  std::vector<std::vector<at::Tensor>> parents_;
  nn::FitRuns runs_;
  std::map<ValueId, size_t> weight_index_;
};

}  // namespace

Checkpoint FitToParents(const std::shared_ptr<const Graph>& graph,
                        const Checkpoint& merged,
                        std::span<const Checkpoint> models,
                        std::span<const double> shares, const Dataset& data,
                        const CalibrateOptions& options, const Run& run) {
  nn::RequireShares(models, shares);
  const c10::NoGradGuard no_gradients;
  return LayerFitter(graph, merged, models, shares, data, options, run).Run();
}

}  // namespace rebasin
