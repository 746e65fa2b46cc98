#include "rebasin/nn/match_activations.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/in_order.h"
#include "match/activations/activation_costs.h"
#include "match/activations/match_by_costs.h"
#include "nn/batches.h"
#include "nn/classifier.h"
#include "nn/weights.h"
#include "rebasin/discovery.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

using Tensors = std::vector<at::Tensor>;

std::vector<std::vector<Axis>> AxesOf(const Discovery& discovery) {
  std::vector<std::vector<Axis>> axes;
  for (const Carrier& carrier : discovery.carriers) {
    axes.push_back(carrier.axes);
  }
  return axes;
}

// Runs both networks over the data and accumulates the cross-moments of their
// units.
class ActivationPass {
 public:
  ActivationPass(const std::shared_ptr<const Graph>& graph, const Checkpoint& a,
                 const Checkpoint& b, const Dataset& data,
                 const MatchActivationsOptions& options,
                 const rebasin::Run& run)
      : data_(data),
        options_(options),
        run_(run),
        classifier_(graph, data, options.compute),
        models_({classifier_.Prepare(nn::Weights(graph, a)),
                 classifier_.Prepare(nn::Weights(graph, b))}),
        batch_size_(BatchSize()),
        full_(DiscoverWith(std::min(batch_size_, data.size()))),
        symmetry_(std::make_shared<const Symmetry>(full_.symmetry)),
        sites_(FindActivationSites(*symmetry_, AxesOf(full_))),
        last_sites_(SitesOfLastBatch()),
        costs_(sites_) {}

  // Returns costs to be maximised.
  std::vector<CostPart> Run(ThreadPool& pool) {
    nn::ForBatches(pool, data_,
                   {.batch_size = batch_size_ * Pieces(),
                    .normalization = options_.normalization,
                    .stage = "activations"},
                   run_,
                   [&](int64_t index, const at::Tensor& examples,
                       std::span<const int64_t>) { Add(index, examples); });
    CheckFinite();
    return costs_.Costs(options_.cost);
  }

  const std::shared_ptr<const Symmetry>& symmetry() const { return symmetry_; }

 private:
  int64_t BatchSize() const {
    const bool chosen = options_.batch_size > 0;
    return classifier_.BatchSizeOr(chosen ? options_.batch_size
                                          : classifier_.CacheFittingBatch());
  }

  // The number of batches whose sums are added together, which saves passes
  // over the matrices; limited so that all threads have work.
  int64_t Pieces() const {
    constexpr int64_t kMaxPieces = 8, kTasks = 16;
    const int64_t batches = nn::BatchCount(data_, batch_size_);
    return std::clamp(batches / kTasks, int64_t{1}, kMaxPieces);
  }

  // The axes of values depend on the number of examples.
  Discovery DiscoverWith(int64_t examples) const {
    const std::vector<Shape> shapes = {
        classifier_.InputShape(classifier_.BatchSizeOr(examples))};
    return Discover(classifier_.network().graph(), shapes);
  }

  // Empty if the last batch has the size of the others, or different sites.
  std::vector<ActivationSite> SitesOfLastBatch() const {
    const int64_t rest = data_.size() % batch_size_;
    if (rest == 0 || data_.size() < batch_size_) return {};
    if (classifier_.fixed_batch() > 0) return sites_;
    const Discovery last = DiscoverWith(rest);
    auto sites = FindActivationSites(last.symmetry, AxesOf(last));
    if (last.symmetry.ToJson() != symmetry_->ToJson()) return {};
    return SameSites(sites, sites_) ? sites : std::vector<ActivationSite>();
  }

  const std::vector<ActivationSite>& SitesFor(int64_t examples) const {
    const bool full = examples == std::min(batch_size_, data_.size());
    return full ? sites_ : last_sites_;
  }

  void Add(int64_t index, const at::Tensor& examples) {
    try {
      ActivationCosts::Batch batch(costs_);
      for (const at::Tensor& piece : examples.split(batch_size_)) {
        Measure(piece, SitesFor(piece.size(0)), batch);
      }
      in_order_.Run(index, [&] { costs_.Add(batch); });
    } catch (...) {
      in_order_.Fail();
      throw;
    }
  }

  void Measure(const at::Tensor& examples,
               const std::vector<ActivationSite>& sites,
               ActivationCosts::Batch& batch) const {
    const auto measure = [&](size_t tap, std::span<const at::Tensor> seen) {
      const at::Tensor a = seen[0].to(at::kCPU, at::kFloat).contiguous();
      const at::Tensor b = seen[1].to(at::kCPU, at::kFloat).contiguous();
      for (size_t s = 0; s < sites.size(); ++s) {
        if (sites[s].tap != tap) continue;
        batch.Measure(s, sites[s], a.data_ptr<float>(), b.data_ptr<float>());
      }
    };
    std::vector<nn::ValueWatch> watches;
    for (size_t t = 0; t < full_.carriers.size(); ++t) {
      watches.push_back({full_.carriers[t].value,
                         [&measure, t](std::span<const at::Tensor> seen) {
                           measure(t, seen);
                         }});
    }
    classifier_.Watch(models_, examples, watches);
  }

  void CheckFinite() const {
    for (size_t s = 0; s < sites_.size(); ++s) {
      if (costs_.AllFinite(s)) continue;
      const std::vector<double>& a = costs_.sites()[s].a.square;
      const bool a_is_finite = std::all_of(
          a.begin(), a.end(), [](double x) { return std::isfinite(x); });
      const ValueId value = full_.carriers[sites_[s].tap].value;
      throw Error(
          ErrorCode::kBadInput,
          std::string("model ") + (a_is_finite ? "B" : "A") +
              ": activations at " +
              Quoted(classifier_.network().graph().values()[value].name) +
              " are NaN, infinite or too large",
          "such a model cannot be matched");
    }
  }

  const Dataset& data_;
  const MatchActivationsOptions& options_;
  const rebasin::Run& run_;
  nn::Classifier classifier_;
  std::array<Tensors, 2> models_;  // A, B
  int64_t batch_size_;
  Discovery full_;
  std::shared_ptr<const Symmetry> symmetry_;
  std::vector<ActivationSite> sites_, last_sites_;
  ActivationCosts costs_;
  InOrder in_order_;
};

void CheckOptions(const MatchActivationsOptions& options) {
  if (!(options.weight_share >= 0 && options.weight_share < 1)) {
    throw Error(ErrorCode::kUsage,
                "the share of the weights must be at least 0 and less than 1");
  }
}

}  // namespace

MatchResult MatchActivations(const std::shared_ptr<const Graph>& graph,
                             const Checkpoint& a, const Checkpoint& b,
                             const Dataset& data,
                             const MatchActivationsOptions& options,
                             const Run& run) {
  const auto begin = std::chrono::steady_clock::now();
  CheckOptions(options);
  CheckSameStructure(a, b);
  ThreadPool pool(run.threads);
  ActivationPass pass(graph, a, b, data, options, run);
  const std::vector<CostPart> costs = pass.Run(pool);
  Alignment alignment =
      MatchByCosts(pass.symmetry(), costs, options.weight_share, a, b,
                   options.match, run, pool);
  MatchReport report = DescribeAlignment(a, b, alignment, run);
  report.start = "activations";
  report.converged = true;
  report.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return {std::move(alignment), std::move(report)};
}

}  // namespace rebasin
