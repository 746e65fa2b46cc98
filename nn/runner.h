// One run of a plan, node by node.

#ifndef REBASIN_NN_RUNNER_H_
#define REBASIN_NN_RUNNER_H_

#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "nn/network.h"
#include "nn/plan.h"

namespace rebasin::nn {

// Keeps references to its arguments, which must outlive it. A copy goes on from
// the same place.
class Runner {
 public:
  Runner(const Network& network, const Plan& plan, const RunOptions& options)
      : network_(network),
        plan_(plan),
        options_(options),
        values_(plan.known()) {}

  void Set(ValueId id, const at::Tensor& tensor) {
    values_[id] = tensor;
    SeeHooks(id);
  }

  // Runs all steps, and frees values that are no longer needed.
  void Run();
  // Runs one step of the plan.
  void RunStep(const Step& step);
  void Forget(std::span<const ValueId> ids) {
    for (ValueId id : ids) values_[id].reset();
  }

  const Plan& plan() const { return plan_; }
  // By ValueId; undefined if not computed yet, or freed.
  const std::vector<at::Tensor>& values() const { return values_; }
  const at::Tensor& value(ValueId id) const { return values_[id]; }

 private:
  std::vector<at::Tensor> RunLowering(const Step& step,
                                      std::span<const at::Tensor> inputs);
  std::vector<at::Tensor> RunReference(const Step& step,
                                       std::span<const at::Tensor> inputs);
  void SeeHooks(ValueId id);

  const Network& network_;
  const Plan& plan_;
  const RunOptions& options_;
  std::vector<at::Tensor> values_;
};

}  // namespace rebasin::nn

#endif  // REBASIN_NN_RUNNER_H_
