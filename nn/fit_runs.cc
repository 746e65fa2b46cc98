#include "nn/fit_runs.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cassert>

#include "nn/packed.h"
#include "nn/plan.h"

namespace rebasin::nn {

FitRuns::FitRuns(const Classifier& classifier, const Flow& flow,
                 std::span<const FitSite> sites,
                 std::span<const std::vector<at::Tensor>> parents,
                 std::span<const double> shares, ThreadPool& pool)
    : classifier_(classifier),
      flow_(flow),
      sites_(sites),
      parents_(parents),
      shares_(shares),
      pool_(pool),
      target_end_(sites.size()) {
  for (size_t s = 0; s < sites.size(); ++s) {
    sites_of_[sites[s].target].push_back(s);
  }
  const std::vector<Node>& nodes = classifier.network().graph().nodes();
  for (size_t n = 0; n < nodes.size(); ++n) {
    for (ValueId id : nodes[n].outputs) {
      const auto found = sites_of_.find(id);
      if (found == sites_of_.end()) continue;
      for (size_t s : found->second) target_end_[s] = n + 1;
    }
  }
}

void FitRuns::Start(const Dataset& data, const BatchOptions& options,
                    const Run& run) {
  waiting_.resize(BatchCount(data, options.batch_size));
  ForBatches(
      pool_, data, options, run,
      [&](int64_t index, const at::Tensor& examples, std::span<const int64_t>) {
        const SteppedRun start(classifier_.network(), flow_,
                               {classifier_.InputFrom(examples)});
        waiting_[index].parents =
            std::vector<SteppedRun>(parents_.size(), start);
        waiting_[index].merged.emplace(start);
      });
}

const Step& FitRuns::StepIn(const Plan& plan, size_t site) const {
  const Node* node = &classifier_.network().graph().nodes()[sites_[site].node];
  const auto found = std::lower_bound(
      plan.steps().begin(), plan.steps().end(), node,
      [](const Step& step, const Node* n) { return step.node < n; });
  assert(found != plan.steps().end() && found->node == node);
  return *found;
}

const Step& FitRuns::StepOf(size_t site) const {
  return StepIn(waiting_[0].merged->plan(), site);
}

void FitRuns::AddTargets(Waiting& waiting, const Node& node, size_t parent,
                         const Runner& runner) const {
  for (ValueId id : node.outputs) {
    const auto found = sites_of_.find(id);
    if (found == sites_of_.end()) continue;
    for (size_t s : found->second) {
      const at::Tensor share = runner.value(id) * shares_[parent];
      at::Tensor& target = waiting.targets[s];
      target = Packed(target.defined() ? target + share : share);
    }
  }
}

void FitRuns::Visit(size_t site, int64_t batch,
                    std::span<const at::Tensor> merged, const See& see) {
  Waiting& waiting = waiting_[batch];
  waiting.targets.erase(waiting.targets.begin(),
                        waiting.targets.lower_bound(site));
  for (size_t p = 0; p < parents_.size(); ++p) {
    waiting.parents[p].Advance(parents_[p], target_end_[site],
                               [&](const Node& node, const Runner& runner) {
                                 AddTargets(waiting, node, p, runner);
                               });
  }
  waiting.merged->Advance(merged, sites_[site].node, {},
                          [&](const Runner& runner) {
                            see({batch, runner, StepIn(runner.plan(), site),
                                 Unpacked(waiting.targets.at(site),
                                          classifier_.network().float_type())});
                          });
}

}  // namespace rebasin::nn
