// Gathers each step of a sequence from its source step.

#include <ATen/ATen.h>

#include <string>

#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

void CheckLengths(const OpCall& call, const at::Tensor& lengths,
                  int64_t steps) {
  const at::Tensor bad =
      lengths.masked_select((lengths < 0).logical_or(lengths > steps));
  if (bad.numel() == 0) return;
  throw call.context().Bad("a sequence of length " +
                           std::to_string(bad[0].item<int64_t>()) + " in " +
                           std::to_string(steps) + " steps");
}

// The source step of each step and sequence.
at::Tensor Sources(int64_t steps, const at::Tensor& lengths) {
  const at::Tensor step = at::arange(steps, lengths.options()).unsqueeze(1);
  const at::Tensor length = lengths.unsqueeze(0);
  return at::where(step < length, length - 1 - step, step);
}

std::vector<at::Tensor> ReverseSequence(const OpCall& call) {
  const bool batch_first = call.context().Int("time_axis", 0) == 1;
  const at::Tensor x = batch_first ? call[0].transpose(0, 1) : call[0];
  const at::Tensor lengths = call[1].to(at::kLong);
  CheckLengths(call, lengths, x.size(0));
  at::Tensor sources = Sources(x.size(0), lengths);
  while (sources.dim() < x.dim()) sources = sources.unsqueeze(-1);
  const at::Tensor y = x.gather(0, sources.expand_as(x));
  return {batch_first ? y.transpose(0, 1) : y};
}

constexpr Lowering kLowerings[] = {{"ReverseSequence", ReverseSequence}};

}  // namespace

std::span<const Lowering> ReverseSequenceLowerings() { return kLowerings; }

}  // namespace rebasin::nn
