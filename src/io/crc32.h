// The checksum of zip archives, as fast as memory.

#ifndef REBASIN_IO_CRC32_H_
#define REBASIN_IO_CRC32_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/parallel.h"

namespace rebasin {

// Returns the CRC-32 of data with checksum `crc` followed by `bytes`. Empty
// data has checksum 0.
uint32_t Crc32(std::span<const std::byte> bytes, uint32_t crc = 0);

// Returns the CRC-32 of `bytes`, computed by several threads.
uint32_t Crc32(std::span<const std::byte> bytes, ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_IO_CRC32_H_
