#include "onnx/sha1.h"

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace rebasin {
namespace {

constexpr size_t kBlockBytes = 64;
constexpr int kRounds = 80;

using Block = std::span<const std::byte, kBlockBytes>;
using State = std::array<uint32_t, 5>;

std::array<uint32_t, kRounds> Schedule(Block block) {
  std::array<uint32_t, kRounds> words = {};
  for (size_t i = 0; i < kBlockBytes; ++i) {
    words[i / 4] = words[i / 4] << 8 | static_cast<uint32_t>(block[i]);
  }
  for (int t = 16; t < kRounds; ++t) {
    words[t] = std::rotl(
        words[t - 3] ^ words[t - 8] ^ words[t - 14] ^ words[t - 16], 1);
  }
  return words;
}

// The function plus the constant of a round (FIPS 180-4, 4.1.1 and 4.2.1).
uint32_t Mix(int round, uint32_t b, uint32_t c, uint32_t d) {
  if (round < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (round < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (round < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

void Add(Block block, State& state) {
  const auto words = Schedule(block);
  auto [a, b, c, d, e] = state;
  for (int t = 0; t < kRounds; ++t) {
    const uint32_t next = std::rotl(a, 5) + Mix(t, b, c, d) + e + words[t];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  const State sum = {a, b, c, d, e};
  for (size_t i = 0; i < state.size(); ++i) state[i] += sum[i];
}

// The last bytes, followed by a one bit, zeros, and the length in bits.
std::vector<std::byte> Padded(std::span<const std::byte> tail,
                              uint64_t total_bytes) {
  std::vector<std::byte> padded(tail.begin(), tail.end());
  padded.push_back(std::byte{0x80});
  while (padded.size() % kBlockBytes != kBlockBytes - 8) {
    padded.push_back(std::byte{0});
  }
  for (int shift = 56; shift >= 0; shift -= 8) {
    padded.push_back(static_cast<std::byte>(total_bytes * 8 >> shift));
  }
  return padded;
}

std::span<const std::byte> AddBlocks(std::span<const std::byte> bytes,
                                     State& state) {
  for (; bytes.size() >= kBlockBytes; bytes = bytes.subspan(kBlockBytes)) {
    Add(bytes.first<kBlockBytes>(), state);
  }
  return bytes;
}

}  // namespace

std::string Sha1(std::span<const std::byte> bytes) {
  State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  const auto tail = AddBlocks(bytes, state);
  AddBlocks(Padded(tail, bytes.size()), state);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (uint32_t word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) {
      text += kDigits[word >> shift & 15];
    }
  }
  return text;
}

}  // namespace rebasin
