// Finds and reports numbers that are not finite or too large for their type.

#ifndef REBASIN_MERGE_FINITE_H_
#define REBASIN_MERGE_FINITE_H_

#include <cstdint>
#include <span>
#include <string>

#include "rebasin/tensor.h"

namespace rebasin {

bool AllFinite(std::span<const double> values);

// Throws Error(kBadInput) with the number of NaN or infinite values of the
// tensor. `model` names the model: "model 2".
[[noreturn]] void FailNonFinite(const Tensor& tensor, const std::string& model);

// Throws Error(kBadInput): the merged element overflows the tensor's type.
[[noreturn]] void FailOverflow(const Tensor& tensor, int64_t index,
                               double value);

}  // namespace rebasin

#endif  // REBASIN_MERGE_FINITE_H_
