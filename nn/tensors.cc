#include "nn/tensors.h"

#include <ATen/ops/empty.h>

#include <cassert>
#include <utility>
#include <vector>

namespace rebasin::nn {

at::ScalarType ScalarTypeOf(Kind kind, at::ScalarType float_type) {
  switch (kind) {
    case Kind::kInteger:
      return at::kLong;
    case Kind::kBoolean:
      return at::kBool;
    case Kind::kFloat:
      break;
  }
  return float_type;
}

at::Tensor FromArray(const Array& array, at::ScalarType float_type) {
  at::Tensor doubles = at::empty(array.shape, at::kDouble);
  std::copy(array.values().begin(), array.values().end(),
            doubles.data_ptr<double>());
  return doubles.to(ScalarTypeOf(array.kind, float_type));
}

Array ToArray(const at::Tensor& tensor, Kind kind) {
  const at::Tensor doubles =
      tensor.detach().to(at::kCPU, at::kDouble).contiguous();
  const double* begin = doubles.data_ptr<double>();
  return MakeArray(kind, tensor.sizes().vec(),
                   std::vector<double>(begin, begin + doubles.numel()));
}

void CopyNumbers(const Tensor& tensor, at::Tensor out) {
  assert(out.is_contiguous() && out.numel() == tensor.size());
  const auto size = static_cast<size_t>(out.numel());
  if (out.scalar_type() == at::kDouble) {
    ReadDoubles(tensor, 0, {out.data_ptr<double>(), size});
  } else {
    ReadFloats(tensor, 0, {out.data_ptr<float>(), size});
  }
}

}  // namespace rebasin::nn
