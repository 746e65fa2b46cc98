// Models for the tests of the zoo.

#ifndef REBASIN_TESTS_ZOO_MODELS_H_
#define REBASIN_TESTS_ZOO_MODELS_H_

#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/checked.h"
#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"
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

inline bool IsScale(const std::string& name) {
  return name.ends_with("weight") || name.ends_with("running_var");
}

// Scattered numbers that depend on the name, of sensible sizes.
inline Array ScatteredWeight(const std::string& name, const Shape& shape) {
  const int64_t size = Elements(shape);
  const double start = static_cast<double>(Fnv1a(name) % 1000);
  const bool vector = shape.size() < 2;
  const bool scale = vector && IsScale(name);
  const double fan_in = vector ? 1 : size / shape[0];
  const double spread = scale ? 0.3 : vector ? 0.1 : 2 / std::sqrt(fan_in);
  std::vector<double> values(size);
  for (int64_t i = 0; i < size; ++i) {
    values[i] = scale + spread * std::sin(start + static_cast<double>(i));
  }
  return MakeArray(Kind::kFloat, shape, std::move(values));
}

// Two images, or two sequences of integers below `limit`.
inline Array ScatteredInput(const Value& input, int64_t limit) {
  Shape shape = input.shape;
  shape.at(0) = 2;
  std::vector<double> values(Elements(shape));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = input.kind == Kind::kInteger
                    ? static_cast<double>((7 * i + 3) % limit)
                    : std::sin(0.7 * static_cast<double>(i));
  }
  return MakeArray(input.kind, shape, std::move(values));
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
