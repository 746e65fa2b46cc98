#include "merge/checks.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "permute/permuted_tensor.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

[[noreturn]] void FailUsage(const std::string& what) {
  throw Error(ErrorCode::kUsage, what);
}

bool IsShare(double weight) { return weight >= 0 && weight <= 1; }

bool IsRunningVariance(const Tensor& tensor) {
  return tensor.name.ends_with("running_var") && IsArithmetic(tensor.dtype);
}

bool IsRunningStatistic(const Tensor& tensor) {
  return tensor.name.ends_with("running_mean") || IsRunningVariance(tensor);
}

bool HasNegative(const Tensor& tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.size()));
  ReadDoubles(tensor, 0, values);
  return std::any_of(values.begin(), values.end(),
                     [](double x) { return x < 0; });
}

// Returns all bytes of the permuted tensor of one model.
std::span<const std::byte> WholeTensor(const MergeInput& input,
                                       const std::string& name,
                                       std::vector<std::byte>& scratch) {
  const PermutedTensor tensor(*input.model, name, input.alignment);
  return tensor.Read(0, tensor.tensor().size(), scratch);
}

// Reads whole tensors: these are counters and tables, which are small.
bool Differs(std::span<const MergeInput> models, const std::string& name) {
  std::vector<std::byte> scratch_a, scratch_b;
  const auto first = WholeTensor(models[0], name, scratch_a);
  return std::any_of(models.begin() + 1, models.end(),
                     [&](const MergeInput& input) {
                       const auto other = WholeTensor(input, name, scratch_b);
                       return !std::equal(first.begin(), first.end(),
                                          other.begin(), other.end());
                     });
}

void WarnOfCopies(std::span<const MergeInput> models,
                  const MergeOptions& options, const Run& run) {
  int64_t count = 0;
  std::string example;
  for (const Tensor& tensor : models[0].model->tensors()) {
    if (IsArithmetic(tensor.dtype) || options.copied.contains(tensor.name) ||
        !Differs(models, tensor.name)) {
      continue;
    }
    if (count++ == 0) example = Quoted(tensor.name);
  }
  if (count == 0) return;
  run.Warn(std::to_string(count) + (count == 1 ? " tensor" : " tensors") +
           " of integer or other type (" + example +
           (count > 1 ? ", ..." : "") +
           ") differ between the models; the first model's are kept");
}

void WarnOfVariances(std::span<const MergeInput> models, const Run& run) {
  for (size_t m = 0; m < models.size(); ++m) {
    for (const Tensor& tensor : models[m].model->tensors()) {
      if (!IsRunningVariance(tensor) || !HasNegative(tensor)) continue;
      run.Warn("model " + std::to_string(m + 1) + ", tensor " +
               Quoted(tensor.name) + " holds negative variances");
    }
  }
}

}  // namespace

std::vector<double> MergeWeights(size_t models, const MergeOptions& options) {
  if (models < 2) FailUsage("a merge needs at least two models");
  if (options.method == MergeMethod::kSlerp && models != 2) {
    FailUsage("spherical interpolation takes exactly two models, not " +
              std::to_string(models));
  }
  if (options.weights.empty()) {
    return std::vector<double>(models, 1.0 / static_cast<double>(models));
  }
  if (options.weights.size() != models) {
    FailUsage(std::to_string(options.weights.size()) + " weights for " +
              std::to_string(models) + " models");
  }
  double sum = 0;
  for (double weight : options.weights) {
    if (!IsShare(weight)) FailUsage("each weight must lie between 0 and 1");
    sum += weight;
  }
  if (std::abs(sum - 1) > 1e-6) FailUsage("the weights must sum to 1");
  return options.weights;
}

void CheckModels(std::span<const MergeInput> models) {
  for (const MergeInput& input : models) {
    CheckSameStructure(*models[0].model, *input.model);
    if (input.alignment == nullptr) continue;
    input.alignment->symmetry().CheckFits(*input.model,
                                          {.allow_uncovered = true});
  }
}

void CheckCopiedTensors(size_t models, const MergeOptions& options) {
  for (const auto& [name, model] : options.copied) {
    if (model < models) continue;
    FailUsage("tensor " + Quoted(name) + " cannot be copied from model " +
              std::to_string(model + 1) + " of " + std::to_string(models));
  }
}

void CheckBase(const Checkpoint& model, const Checkpoint& base) {
  const auto fail = [](const std::string& what) {
    throw Error(ErrorCode::kMismatch,
                "the base does not fit the models: " + what,
                "--three-way mean averages what the base does not have");
  };
  for (const Tensor& tensor : model.tensors()) {
    const Tensor* before = base.Find(tensor.name);
    const std::string name = "tensor " + Quoted(tensor.name);
    if (before == nullptr) fail("it has no " + name);
    if (before->shape != tensor.shape) {
      fail(name + " is " + ShapeText(before->shape) + " in it and " +
           ShapeText(tensor.shape) + " in the models");
    }
    if (before->dtype != tensor.dtype &&
        !(IsArithmetic(before->dtype) && IsArithmetic(tensor.dtype))) {
      fail(name + " is " + std::string(DTypeName(before->dtype)) +
           " in it and " + std::string(DTypeName(tensor.dtype)) +
           " in the models");
    }
  }
  for (const Tensor& tensor : base.tensors()) {
    if (model.Find(tensor.name) != nullptr) continue;
    fail("it has a tensor " + Quoted(tensor.name) + " that they do not have");
  }
}

void CheckDifferences(std::span<const MergeInput> models,
                      const MergeOptions& options) {
  if (options.base.model == nullptr) return;
  if (models.size() != 2 || !options.weights.empty() ||
      options.method != MergeMethod::kLinear) {
    FailUsage("a merge with a base needs exactly two models, without weights");
  }
  CheckBase(*models[0].model, *options.base.model);
  if (options.base.alignment == nullptr) return;
  options.base.alignment->symmetry().CheckFits(*options.base.model,
                                               {.allow_uncovered = true});
}

bool IsVariance(const std::string& name, const MergeOptions& options) {
  return name.ends_with("running_var") || options.variances.contains(name);
}

void WarnBeforeMerge(std::span<const MergeInput> models,
                     const MergeOptions& options, const Run& run) {
  if (!run.warn) return;
  const auto& tensors = models[0].model->tensors();
  if (std::any_of(tensors.begin(), tensors.end(), IsRunningStatistic)) {
    run.Warn(options.base.model != nullptr
                 ? "the merged BatchNorm statistics are estimates, ours + "
                   "(theirs - base); recalculate them on data"
                 : "the merged BatchNorm statistics are averages; "
                   "recalculate them on data before use");
  }
  WarnOfVariances(models, run);
  WarnOfCopies(models, options, run);
}

}  // namespace rebasin
