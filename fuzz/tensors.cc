#include "tensors.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "formats/safetensors_header.h"
#include "formats/write_plan.h"
#include "fuzz_check.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

using Forms = std::map<std::string, std::pair<DType, Shape>>;

// Writes a file of this plan with zero data, and reads it.
Forms WrittenAndRead(const std::vector<TensorPlan>& plan) {
  std::string file = MakeSafetensorsHeader(plan, {});
  file.resize(file.size() + static_cast<size_t>(PlanBytes(plan)));
  const SafetensorsHeader header =
      ReadSafetensorsHeader(std::as_bytes(std::span(file)), "again", {});
  Forms forms;
  for (const TensorEntry& entry : header.tensors) {
    forms[entry.name] = {*entry.dtype, entry.shape};
  }
  return forms;
}

}  // namespace

void CheckTensors(const std::vector<Tensor>& tensors) {
  std::vector<TensorPlan> plan;
  Forms forms;
  for (const Tensor& tensor : tensors) {
    FUZZ_CHECK(DataBytes(tensor.dtype, tensor.shape) ==
               static_cast<int64_t>(tensor.bytes.size()));
    plan.push_back({tensor.name, tensor.dtype, tensor.shape});
    forms[tensor.name] = {tensor.dtype, tensor.shape};
  }
  try {
    CheckAndSortPlan(plan, {});
  } catch (const Error&) {
    return;  // a duplicate name, or one that is not text
  }
  FUZZ_CHECK(WrittenAndRead(plan) == forms);
}

}  // namespace rebasin
