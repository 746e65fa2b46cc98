// Random numbers that are the same on every platform and standard library
// (std::shuffle and the std distributions are not). Generator: xoshiro256**
// by Blackman and Vigna, seeded through splitmix64.

#ifndef REBASIN_BASE_RANDOM_H_
#define REBASIN_BASE_RANDOM_H_

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace rebasin {

class Random {
 public:
  explicit Random(uint64_t seed) {
    for (uint64_t& word : state_) word = SplitMix(&seed);
  }

  uint64_t Next() {
    const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound), without bias. Requires bound > 0.
  uint64_t Below(uint64_t bound) {
    const uint64_t reject_below = (0 - bound) % bound;
    uint64_t value = Next();
    while (value < reject_below) value = Next();
    return value % bound;
  }

  // Uniform in [0, 1).
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

  // Standard normal, by the Box-Muller transform.
  double Normal() {
    const double radius = std::sqrt(-2 * std::log(1 - Uniform()));
    return radius * std::cos(2 * std::numbers::pi * Uniform());
  }

  template <typename T>
  void Shuffle(std::span<T> items) {
    for (size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[Below(i)]);
    }
  }

  std::vector<int32_t> Permutation(int64_t n) {
    std::vector<int32_t> permutation(static_cast<size_t>(n));
    std::iota(permutation.begin(), permutation.end(), 0);
    Shuffle(std::span<int32_t>(permutation));
    return permutation;
  }

 private:
  static uint64_t SplitMix(uint64_t* seed) {
    uint64_t z = (*seed += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::array<uint64_t, 4> state_;
};

}  // namespace rebasin

#endif  // REBASIN_BASE_RANDOM_H_
