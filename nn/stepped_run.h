// A run that pauses between two nodes, and goes on later with weights that may
// have changed meanwhile.
//
// Only values that are still needed are kept, in half precision if they fit:
// many runs wait at the same time. What was computed from weights alone is
// computed again.

#ifndef REBASIN_NN_STEPPED_RUN_H_
#define REBASIN_NN_STEPPED_RUN_H_

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "graph/flow.h"
#include "nn/network.h"
#include "nn/runner.h"

namespace rebasin::nn {

class SteppedRun {
 public:
  // Starts before the first node. `network` and `flow`, which is that of its
  // graph, must outlive this object.
  SteppedRun(const Network& network, const Flow& flow,
             std::vector<at::Tensor> inputs);

  // Called for each node that was run, before values are freed.
  using See = std::function<void(const Node& node, const Runner& runner)>;
  // Called where the run pauses.
  using Pause = std::function<void(const Runner& runner)>;

  // Runs the nodes up to, and without, `Graph::nodes()[end]`. Does not go back:
  // an `end` that was passed runs nothing.
  void Advance(std::span<const at::Tensor> weights, size_t end,
               const See& see = {}, const Pause& pause = {});

  const Plan& plan() const { return *plan_; }

 private:
  size_t NodeIndex(const Step& step) const;
  void Resume(std::span<const at::Tensor> weights, Runner& runner) const;
  void Keep(const Runner& runner);
  void FindRepeated(const Runner& runner);

  const Network& network_;
  const Flow& flow_;
  std::shared_ptr<const Plan> plan_;
  size_t next_ = 0;  // of the plan's steps
  std::map<ValueId, at::Tensor> kept_;
  // Steps that compute what is needed from weights alone, in order.
  std::vector<size_t> repeated_;
};

}  // namespace rebasin::nn

#endif  // REBASIN_NN_STEPPED_RUN_H_
