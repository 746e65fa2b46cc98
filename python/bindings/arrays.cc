#include "python/bindings/arrays.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"
#include "rebasin/error.h"

namespace rebasin::python {
namespace {

namespace nb = nanobind;

using AnyArray = nb::ndarray<nb::ro>;
// A name, an element type (empty: that of the array), an array.
using NamedArray = std::tuple<std::string, std::string, AnyArray>;
using Bytes = nb::ndarray<nb::numpy, const uint8_t, nb::ndim<1>>;
// Name, element type, shape.
using TensorRow = std::tuple<std::string, std::string, nb::tuple>;

// Keeps an array alive for a tensor, which may be dropped on any thread.
std::shared_ptr<const void> KeepAlive(AnyArray array) {
  return {new AnyArray(std::move(array)), [](const void* kept) {
            const nb::gil_scoped_acquire locked;
            delete static_cast<const AnyArray*>(kept);
          }};
}

std::optional<DType> TypeOf(nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  static const std::map<std::pair<Code, int>, DType> types = {
      {{Code::Bool, 8}, DType::kBool},
      {{Code::UInt, 8}, DType::kU8},
      {{Code::UInt, 16}, DType::kU16},
      {{Code::UInt, 32}, DType::kU32},
      {{Code::UInt, 64}, DType::kU64},
      {{Code::Int, 8}, DType::kI8},
      {{Code::Int, 16}, DType::kI16},
      {{Code::Int, 32}, DType::kI32},
      {{Code::Int, 64}, DType::kI64},
      {{Code::Float, 16}, DType::kF16},
      {{Code::Float, 32}, DType::kF32},
      {{Code::Float, 64}, DType::kF64},
      {{Code::Bfloat, 16}, DType::kBF16},
      {{Code::Complex, 64}, DType::kC64},
      {{Code::Float8_E4M3FN, 8}, DType::kF8E4M3},
      {{Code::Float8_E5M2, 8}, DType::kF8E5M2},
      {{Code::Float8_E4M3FNUZ, 8}, DType::kF8E4M3Fnuz},
      {{Code::Float8_E5M2FNUZ, 8}, DType::kF8E5M2Fnuz},
      {{Code::Float8_E8M0FNU, 8}, DType::kF8E8M0},
  };
  const auto found = types.find({static_cast<Code>(type.code), int{type.bits}});
  if (type.lanes != 1 || found == types.end()) return std::nullopt;
  return found->second;
}

DType TypeOf(const std::string& name, const std::string& said,
             const AnyArray& array) {
  const std::optional<DType> type =
      said.empty() ? TypeOf(array.dtype()) : DTypeFromName(said);
  if (type && DTypeBits(*type) == int{array.dtype().bits}) return *type;
  throw Error(ErrorCode::kUnsupported, "tensor " + Quoted(name) +
                                           " has an element type that models "
                                           "do not have");
}

// Whether the elements lie one after another, the last axis fastest.
bool IsContiguous(const AnyArray& array) {
  int64_t step = 1;
  for (size_t axis = array.ndim(); axis-- > 0;) {
    const auto length = static_cast<int64_t>(array.shape(axis));
    if (length != 1 && array.stride(axis) != step) return false;
    step *= length;
  }
  return true;
}

Tensor TensorOf(const NamedArray& entry) {
  const auto& [name, said, array] = entry;
  Tensor tensor;
  tensor.name = name;
  tensor.dtype = TypeOf(name, said, array);
  if (array.device_type() != nb::device::cpu::value) {
    throw Error(ErrorCode::kUnsupported,
                "tensor " + Quoted(name) + " is not in the memory of the CPU",
                "copy it: tensor.cpu()");
  }
  if (array.size() > 0 && !IsContiguous(array)) {
    throw Error(ErrorCode::kUnsupported,
                "tensor " + Quoted(name) + " is not contiguous");
  }
  for (size_t axis = 0; axis < array.ndim(); ++axis) {
    tensor.shape.push_back(static_cast<int64_t>(array.shape(axis)));
  }
  tensor.bytes = {static_cast<const std::byte*>(array.data()), array.nbytes()};
  tensor.owner = KeepAlive(array);
  return tensor;
}

Checkpoint WeightsOf(const std::vector<NamedArray>& arrays,
                     const std::map<std::string, std::string>& metadata) {
  std::vector<Tensor> tensors;
  tensors.reserve(arrays.size());
  for (const NamedArray& entry : arrays) tensors.push_back(TensorOf(entry));
  return Checkpoint(std::move(tensors), metadata);
}

std::vector<TensorRow> Rows(const Checkpoint& weights) {
  std::vector<TensorRow> rows;
  for (const Tensor& tensor : weights.tensors()) {
    nb::list shape;
    for (const int64_t size : tensor.shape) shape.append(size);
    rows.emplace_back(tensor.name, DTypeName(tensor.dtype), nb::tuple(shape));
  }
  return rows;
}

// The bytes of a tensor; they live as long as the array.
Bytes BytesOf(const Checkpoint& weights, const std::string& name) {
  const Tensor* tensor = weights.Find(name);
  if (tensor == nullptr) throw nb::key_error(name.c_str());
  auto* owner = new std::shared_ptr<const void>(tensor->owner);
  const nb::capsule capsule(owner, [](void* kept) noexcept {
    delete static_cast<std::shared_ptr<const void>*>(kept);
  });
  return Bytes(tensor->bytes.data(), {tensor->bytes.size()}, capsule);
}

}  // namespace

void BindArrays(nb::module_& module) {
  nb::class_<Checkpoint>(module, "Weights",
                         "Named tensors; copies share their bytes.")
      .def_static("of", WeightsOf, nb::arg("arrays"), nb::arg("metadata"))
      .def("rows", Rows)
      .def("bytes_of", BytesOf, nb::arg("name"))
      .def_prop_ro("metadata", &Checkpoint::metadata)
      .def_prop_ro("nbytes", &Checkpoint::bytes)
      .def_prop_ro("fingerprint", &Fingerprint)
      .def("check_unchanged", &Checkpoint::CheckUnchanged,
           nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace rebasin::python
