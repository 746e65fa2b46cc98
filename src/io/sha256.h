// SHA-256, for objects that are named by their content.

#ifndef REBASIN_IO_SHA256_H_
#define REBASIN_IO_SHA256_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace rebasin {

class Sha256 {
 public:
  Sha256();
  void Add(std::span<const std::byte> bytes);
  // Returns 64 lowercase hexadecimal digits. The object must not be used
  // afterwards.
  std::string Finish();

 private:
  static constexpr size_t kBlock = 64;
  void AddBlocks(const std::byte* blocks, size_t count);

  std::array<uint32_t, 8> state_;
  std::array<std::byte, kBlock> rest_;  // an incomplete block
  uint64_t size_ = 0;
};

std::string Sha256Of(std::span<const std::byte> bytes);

}  // namespace rebasin

#endif  // REBASIN_IO_SHA256_H_
