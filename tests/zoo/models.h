// Models for the tests of the zoo.

#ifndef REBASIN_TESTS_ZOO_MODELS_H_
#define REBASIN_TESTS_ZOO_MODELS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/checked.h"
#include "rebasin/checkpoint.h"
#include "rebasin/zoo.h"

namespace rebasin::testing {

inline int64_t Elements(const Shape& shape) {
  return CheckedProduct(shape).value();
}

// A hash that is easily computed elsewhere.
inline uint64_t Fnv1a(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

// A tensor of zeros. All share one buffer, so that even large ones cost
// nothing.
inline Tensor Zeros(const std::string& name, const Shape& shape,
                    DType dtype = DType::kF32) {
  static auto buffer = std::make_shared<std::vector<std::byte>>();
  const size_t bytes = Elements(shape) * DTypeBits(dtype) / 8;
  if (buffer->size() < bytes) {
    buffer = std::make_shared<std::vector<std::byte>>(bytes);
  }
  return {.name = name,
          .dtype = dtype,
          .shape = shape,
          .bytes = std::span<const std::byte>(*buffer).first(bytes),
          .owner = buffer};
}

inline std::vector<Tensor> ZeroTensors(const Graph& graph) {
  std::vector<Tensor> tensors;
  for (ValueId id : graph.weights()) {
    const Value& weight = graph.values()[id];
    tensors.push_back(Zeros(weight.name, weight.shape));
  }
  return tensors;
}

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_ZOO_MODELS_H_
