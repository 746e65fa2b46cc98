// The parents and the merged network on all batches of the data, waiting at the
// layer that is being fitted.

#ifndef REBASIN_NN_FIT_RUNS_H_
#define REBASIN_NN_FIT_RUNS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "graph/flow.h"
#include "nn/batches.h"
#include "nn/classifier.h"
#include "nn/stepped_run.h"
#include "repair/fit_sites.h"

namespace rebasin::nn {

class FitRuns {
 public:
  // The merged network in front of a site's node, on one batch.
  struct SiteView {
    int64_t batch = 0;
    const Runner& runner;
    const Step& step;  // the node of the site
    // The weighted mean of what the parents have at the site's target.
    at::Tensor target = {};
  };
  using See = std::function<void(const SiteView&)>;

  // All arguments must outlive this object. `sites` are in node order;
  // `parents` are prepared weights.
  FitRuns(const Classifier& classifier, const Flow& flow,
          std::span<const FitSite> sites,
          std::span<const std::vector<at::Tensor>> parents,
          std::span<const double> shares, ThreadPool& pool);

  // Takes the data into memory.
  void Start(const Dataset& data, const BatchOptions& options, const Run& run);

  int64_t batches() const { return static_cast<int64_t>(waiting_.size()); }
  // The node of a site, as the first batch runs it.
  const Step& StepOf(size_t site) const;

  // Runs one batch on to a site. Sites come in ascending order; the same site
  // may be visited again. `merged` is the merged network with all earlier sites
  // fitted. Batches may be visited by several threads.
  void Visit(size_t site, int64_t batch, std::span<const at::Tensor> merged,
             const See& see);

 private:
  struct Waiting {
    std::vector<SteppedRun> parents = {};
    std::optional<SteppedRun> merged = {};
    std::map<size_t, at::Tensor> targets = {};  // by site
  };

  void AddTargets(Waiting& waiting, const Node& node, size_t parent,
                  const Runner& runner) const;
  const Step& StepIn(const Plan& plan, size_t site) const;

  const Classifier& classifier_;
  const Flow& flow_;
  std::span<const FitSite> sites_;
  std::span<const std::vector<at::Tensor>> parents_;
  std::span<const double> shares_;
  ThreadPool& pool_;
  std::vector<Waiting> waiting_;
  std::map<ValueId, std::vector<size_t>> sites_of_;  // by target
  std::vector<size_t> target_end_;  // by site: the node behind its target
};

}  // namespace rebasin::nn

#endif  // REBASIN_NN_FIT_RUNS_H_
