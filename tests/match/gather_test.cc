#include "match/costs/gather.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "base/random.h"
#include "support/targets.h"
#include "tensor/convert.h"

namespace rebasin {
namespace {

// A tensor [units, channels, positions] or, by its strides, [channels, units,
// positions], with B's channels in some order.
struct Tensor3 {
  Tensor3(int64_t unit_count, int64_t channels, int64_t positions, bool outer) {
    data.resize(unit_count * channels * positions);
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
    const int64_t unit_stride = outer ? channels * positions : positions;
    const int64_t step_stride = outer ? positions : unit_count * positions;
    for (int64_t u = 0; u < unit_count; ++u) units.push_back(u * unit_stride);
    Random random(7);
    const auto order = random.Permutation(channels);
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t p = 0; p < positions; ++p) {
        steps.push_back(order[c] * step_stride + p);
        before.push_back(c * step_stride + p);
      }
    }
  }

  float At(size_t unit, size_t step, bool difference) const {
    const float value = data[units[unit] + steps[step]];
    return difference ? value - data[units[unit] + before[step]] : value;
  }

  std::vector<float> data;
  std::vector<int64_t> units, steps, before;
};

// Parts that begin and end in the middle of kernels and tiles, and wider than a
// tile.
void ExpectPacked(const Tensor3& tensor, bool difference) {
  GatherSource source{
      .data = tensor.data.data(), .units = tensor.units, .steps = tensor.steps};
  if (difference) source.subtracted = tensor.before;
  const GemmPacker pack = PackGathered(source);
  constexpr int64_t kWidth = 80;
  const auto all = static_cast<int64_t>(tensor.units.size());
  const GemmPart part = {
      .unit = all / 5,
      .count = std::min<int64_t>(kWidth, all - all / 5),
      .step = 5,
      .steps = static_cast<int64_t>(tensor.steps.size()) - 7};
  std::vector<float> out(part.steps * kWidth, -1);
  pack(part, kWidth, out.data());
  for (int64_t s = 0; s < part.steps; ++s) {
    for (int64_t u = 0; u < part.count; ++u) {
      ASSERT_EQ(out[s * kWidth + u],
                tensor.At(part.unit + u, part.step + s, difference))
          << "unit " << u << ", step " << s;
    }
  }
}

// All patterns of 16 bits that are finite numbers, the others as zeros.
void FillFinite(DType dtype, std::span<std::byte> bytes) {
  if (dtype == DType::kF64) {
    Random random(5);
    for (size_t i = 0; i + 8 <= bytes.size(); i += 8) {
      const double value = random.Normal();
      std::memcpy(&bytes[i], &value, 8);
    }
    return;
  }
  const uint16_t exponent = dtype == DType::kF16 ? 0x7C00 : 0x7F80;
  for (size_t i = 0; i + 2 <= bytes.size(); i += 2) {
    auto bits = static_cast<uint16_t>(i / 2);
    if ((bits & exponent) == exponent) bits = 0;
    std::memcpy(&bytes[i], &bits, 2);
  }
}

void ExpectConverted(const Elements& data, const std::vector<float>& floats,
                     int64_t units, int64_t steps, bool adjacent) {
  std::vector<int64_t> at_units, at_steps;
  for (int64_t u = 0; u < units; ++u) {
    at_units.push_back(adjacent ? u : u * steps);
  }
  for (int64_t s = 0; s < steps; ++s) {
    at_steps.push_back(adjacent ? s * units : s);
  }
  std::vector<float> out(static_cast<size_t>(units * steps));
  PackGathered({.data = data, .units = at_units, .steps = at_steps})(
      {.unit = 0, .count = units, .step = 0, .steps = steps}, units,
      out.data());
  for (int64_t s = 0; s < steps; ++s) {
    for (int64_t u = 0; u < units; ++u) {
      ASSERT_EQ(out[s * units + u], floats[at_units[u] + at_steps[s]]);
    }
  }
}

TEST(PackGathered, FindsEveryElementInEveryLayout) {
  ForEachTarget([] {
    for (int64_t units : {5, 13, 16, 37, 90}) {
      for (int64_t positions : {1, 2, 3, 4, 9, 25}) {
        for (bool outer : {false, true}) {
          const Tensor3 tensor(units, 11, positions, outer);
          ExpectPacked(tensor, false);
          ExpectPacked(tensor, true);
        }
      }
    }
  });
}

// Every finite F16 value, and the same number of others.
TEST(PackGathered, ConvertsElementsOfAnyTypeLikeToFloats) {
  constexpr int64_t kUnits = 64, kSteps = 1024;
  for (const DType dtype : {DType::kF16, DType::kBF16, DType::kF64}) {
    std::vector<std::byte> bytes(
        static_cast<size_t>(kUnits * kSteps * DTypeBits(dtype) / 8));
    FillFinite(dtype, bytes);
    std::vector<float> floats(kUnits * kSteps);
    ToFloats(dtype, bytes, floats);
    ForEachTarget([&] {
      for (const bool adjacent : {false, true}) {
        ExpectConverted({bytes.data(), dtype}, floats, kUnits, kSteps,
                        adjacent);
      }
    });
  }
}

}  // namespace
}  // namespace rebasin
