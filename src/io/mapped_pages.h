// Advice to the system about pages of mapped files.
//
// A model that is larger than memory is read in passes. Pages that a pass has
// left are given back, so that they do not count as used memory, and those that
// come next are read in advance. Advice changes no result.

#ifndef REBASIN_IO_MAPPED_PAGES_H_
#define REBASIN_IO_MAPPED_PAGES_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace rebasin {

// Both do nothing unless `bytes` are inside a MappedFile that still exists: the
// content of other memory would be lost.

// Gives the pages that lie wholly inside `bytes` back. They are read again,
// from the page cache or the file, when they are used again.
void ReleasePages(std::span<const std::byte> bytes);

// Starts reading the pages of `bytes`.
void ReadAhead(std::span<const std::byte> bytes);

// The memory of this machine, in bytes; 0 if it is not known.
int64_t PhysicalMemory();

}  // namespace rebasin

#endif  // REBASIN_IO_MAPPED_PAGES_H_
