// The checksum of zip archives, at the speed of memory.

#ifndef REBASIN_IO_CRC32_H_
#define REBASIN_IO_CRC32_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/parallel.h"

namespace rebasin {

// CRC-32 of what had the checksum `crc`, followed by `bytes`. Of nothing it
// is 0.
uint32_t Crc32(std::span<const std::byte> bytes, uint32_t crc = 0);

// CRC-32 of `bytes`, whose pieces several threads go through.
uint32_t Crc32(std::span<const std::byte> bytes, ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_IO_CRC32_H_
