#include "io/mapped_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <iterator>

#include "io/mapped_ranges.h"

namespace rebasin {
namespace {

constexpr uintptr_t kPage = 4096;

uintptr_t Address(const std::byte* at) {
  return reinterpret_cast<uintptr_t>(at);
}

// Advice may be refused, and then nothing is lost.
void Advise(uintptr_t begin, uintptr_t end, int advice) {
  if (begin < end) {
    madvise(
        reinterpret_cast<void*>(begin),  // NOLINT(performance-no-int-to-ptr)
        end - begin, advice);
  }
}

}  // namespace

MappedRanges& MappedRanges::All() {
  // Never destroyed: files may be unmapped after static objects are gone.
  static MappedRanges* const ranges = new MappedRanges;
  return *ranges;
}

void MappedRanges::Add(std::span<const std::byte> range) {
  const std::lock_guard lock(mutex_);
  end_of_[range.data()] = range.data() + range.size();
}

void MappedRanges::Remove(std::span<const std::byte> range) {
  const std::lock_guard lock(mutex_);
  end_of_.erase(range.data());
}

bool MappedRanges::Contains(std::span<const std::byte> bytes) const {
  auto after = end_of_.upper_bound(bytes.data());
  if (bytes.empty() || after == end_of_.begin()) return false;
  return bytes.data() + bytes.size() <= std::prev(after)->second;
}

void ReleasePages(std::span<const std::byte> bytes) {
  MappedRanges::All().WhileMapped(bytes, [&] {
    const uintptr_t begin = Address(bytes.data());
    const uintptr_t end = begin + bytes.size();
    Advise((begin + kPage - 1) / kPage * kPage, end / kPage * kPage,
           MADV_DONTNEED);
  });
}

void ReadAhead(std::span<const std::byte> bytes) {
  MappedRanges::All().WhileMapped(bytes, [&] {
    const uintptr_t begin = Address(bytes.data());
    Advise(begin / kPage * kPage, begin + bytes.size(), MADV_WILLNEED);
  });
}

int64_t PhysicalMemory() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES);
  const int64_t size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? pages * size : 0;
}

}  // namespace rebasin
