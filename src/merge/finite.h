// Numbers that are not finite, and numbers too large for their type: found
// cheaply, reported in full.

#ifndef REBASIN_MERGE_FINITE_H_
#define REBASIN_MERGE_FINITE_H_

#include <cstdint>
#include <span>
#include <string>

#include "rebasin/tensor.h"

namespace rebasin {

bool AllFinite(std::span<const double> values);

// Throws Error(kBadInput) that says how many values of the tensor are NaN or
// infinite. `model` names the model, as "model 2".
[[noreturn]] void FailNonFinite(const Tensor& tensor, const std::string& model);

// Throws Error(kBadInput): the merged element does not fit the tensor's type.
[[noreturn]] void FailOverflow(const Tensor& tensor, int64_t index,
                               double value);

}  // namespace rebasin

#endif  // REBASIN_MERGE_FINITE_H_
