#include "io/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace rebasin {
namespace {

// FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube
// roots of the first 64 primes.
constexpr std::array<uint32_t, 64> kConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t BigEndian(const std::byte* bytes) {
  uint32_t word = 0;
  for (int i = 0; i < 4; ++i) {
    word = word << 8 | std::to_integer<uint32_t>(bytes[i]);
  }
  return word;
}

// 6.2.2, step 1.
std::array<uint32_t, 64> Schedule(const std::byte* block) {
  std::array<uint32_t, 64> w;
  for (size_t t = 0; t < 16; ++t) w[t] = BigEndian(block + 4 * t);
  for (size_t t = 16; t < 64; ++t) {
    const uint32_t s0 =
        std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
    const uint32_t s1 =
        std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = s1 + w[t - 7] + s0 + w[t - 16];
  }
  return w;
}

// Steps 2 to 4.
void AddBlock(const std::byte* block, std::array<uint32_t, 8>& state) {
  const auto w = Schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t t = 0; t < 64; ++t) {
    const uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + kConstants[t] + w[t];
    const uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

}  // namespace

Sha256::Sha256()
    : state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void Sha256::AddBlocks(const std::byte* blocks, size_t count) {
  for (size_t i = 0; i < count; ++i) AddBlock(blocks + i * kBlock, state_);
}

void Sha256::Add(std::span<const std::byte> bytes) {
  const size_t held = size_ % kBlock;
  size_ += bytes.size();
  if (held > 0) {
    const size_t n = std::min(bytes.size(), kBlock - held);
    std::memcpy(rest_.data() + held, bytes.data(), n);
    bytes = bytes.subspan(n);
    if (held + n < kBlock) return;
    AddBlocks(rest_.data(), 1);
  }
  AddBlocks(bytes.data(), bytes.size() / kBlock);
  const auto rest = bytes.last(bytes.size() % kBlock);
  if (!rest.empty()) std::memcpy(rest_.data(), rest.data(), rest.size());
}

std::string Sha256::Finish() {
  const uint64_t bits = size_ * 8;
  const size_t held = size_ % kBlock;
  std::array<std::byte, 2 * kBlock> end = {std::byte{0x80}};
  const size_t padding = (held < 56 ? 56 : 120) - held;
  for (size_t i = 0; i < 8; ++i) {
    end[padding + i] = static_cast<std::byte>(bits >> (56 - 8 * i));
  }
  Add(std::span(end).first(padding + 8));
  std::string text;
  for (const uint32_t word : state_) {
    for (int shift = 28; shift >= 0; shift -= 4) {
      text += "0123456789abcdef"[word >> shift & 15];
    }
  }
  return text;
}

std::string Sha256Of(std::span<const std::byte> bytes) {
  Sha256 sum;
  sum.Add(bytes);
  return sum.Finish();
}

}  // namespace rebasin
