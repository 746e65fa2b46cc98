#include "nn/stepped_run.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "nn/packed.h"
#include "nn/plan.h"

namespace rebasin::nn {

SteppedRun::SteppedRun(const Network& network, const Flow& flow,
                       std::vector<at::Tensor> inputs)
    : network_(network), flow_(flow), plan_(network.PlanFor(inputs)) {
  const std::vector<ValueId>& ids = network.graph().inputs();
  assert(inputs.size() == ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    kept_[ids[i]] = std::move(inputs[i]);
  }
}

size_t SteppedRun::NodeIndex(const Step& step) const {
  return static_cast<size_t>(step.node - network_.graph().nodes().data());
}

void SteppedRun::Resume(std::span<const at::Tensor> weights,
                        Runner& runner) const {
  const std::vector<ValueId>& ids = network_.graph().weights();
  for (size_t i = 0; i < ids.size(); ++i) runner.Set(ids[i], weights[i]);
  for (const auto& [id, value] : kept_) {
    runner.Set(id, Unpacked(value, network_.float_type()));
  }
  for (const size_t s : repeated_) runner.RunStep(plan_->steps()[s]);
}

void SteppedRun::Advance(std::span<const at::Tensor> weights, size_t end,
                         const See& see, const Pause& pause) {
  const RunOptions options;
  Runner runner(network_, *plan_, options);
  Resume(weights, runner);
  const std::vector<Step>& steps = plan_->steps();
  const size_t first = next_;
  for (; next_ < steps.size() && NodeIndex(steps[next_]) < end; ++next_) {
    runner.RunStep(steps[next_]);
    if (see) see(*steps[next_].node, runner);
    runner.Forget(steps[next_].dying);
  }
  if (pause) pause(runner);
  if (next_ > first) Keep(runner);
}

void SteppedRun::Keep(const Runner& runner) {
  std::map<ValueId, at::Tensor> before = std::exchange(kept_, {});
  const std::vector<Value>& values = network_.graph().values();
  for (size_t id = 0; id < values.size(); ++id) {
    const at::Tensor& value = runner.values()[id];
    const bool given =
        values[id].role == Role::kWeight || plan_->known()[id].defined();
    const auto key = static_cast<ValueId>(id);
    if (given || !value.defined() || flow_.DependsOnWeightsOnly(key)) continue;
    const auto same = before.find(key);
    kept_[key] = same == before.end() ? Packed(value) : same->second;
  }
  FindRepeated(runner);
}

// Walks backwards, from values that are still needed to what they need.
void SteppedRun::FindRepeated(const Runner& runner) {
  std::vector<bool> needed(runner.values().size(), false);
  for (size_t id = 0; id < needed.size(); ++id) {
    needed[id] = runner.values()[id].defined() &&
                 flow_.DependsOnWeightsOnly(static_cast<ValueId>(id));
  }
  repeated_.clear();
  for (size_t s = next_; s-- > 0;) {
    const Node& node = *plan_->steps()[s].node;
    const bool repeats =
        std::any_of(node.outputs.begin(), node.outputs.end(),
                    [&](ValueId id) { return id != kNoValue && needed[id]; });
    if (!repeats) continue;
    repeated_.push_back(s);
    for (ValueId id : node.inputs) {
      if (id != kNoValue) needed[id] = true;
    }
  }
  std::reverse(repeated_.begin(), repeated_.end());
}

}  // namespace rebasin::nn
