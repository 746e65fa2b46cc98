#include "nn/stepped_run.h"

#include <ATen/ATen.h>

#include <cassert>
#include <utility>

#include "nn/plan.h"

namespace rebasin::nn {
namespace {

// The largest number of half precision is 65504.
constexpr double kFitsHalf = 3e4;

// Relative errors of half precision are 5e-4, far below the noise of a fit.
at::Tensor Packed(const at::Tensor& value) {
  if (value.scalar_type() != at::kFloat || value.numel() == 0) return value;
  const bool fits = value.abs().max().item<float>() < kFitsHalf;
  return fits ? value.to(at::kHalf) : value;
}

at::Tensor Unpacked(const at::Tensor& value, at::ScalarType type) {
  return value.scalar_type() == at::kHalf ? value.to(type) : value;
}

}  // namespace

SteppedRun::SteppedRun(const Network& network, std::vector<at::Tensor> inputs)
    : network_(network), plan_(network.PlanFor(inputs)) {
  const std::vector<ValueId>& ids = network.graph().inputs();
  assert(inputs.size() == ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    kept_[ids[i]] = std::move(inputs[i]);
  }
}

size_t SteppedRun::NodeIndex(const Step& step) const {
  return static_cast<size_t>(step.node - network_.graph().nodes().data());
}

void SteppedRun::Advance(std::span<const at::Tensor> weights, size_t end,
                         const See& see, const Pause& pause) {
  const RunOptions options;
  Runner runner(network_, *plan_, options);
  const std::vector<ValueId>& ids = network_.graph().weights();
  for (size_t i = 0; i < ids.size(); ++i) runner.Set(ids[i], weights[i]);
  for (const auto& [id, value] : kept_) {
    runner.Set(id, Unpacked(value, network_.float_type()));
  }
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
    if (given || !value.defined()) continue;
    const auto same = before.find(static_cast<ValueId>(id));
    kept_[static_cast<ValueId>(id)] =
        same == before.end() ? Packed(value) : same->second;
  }
}

}  // namespace rebasin::nn
