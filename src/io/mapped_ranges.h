// The memory ranges of all mapped files.

#ifndef REBASIN_IO_MAPPED_RANGES_H_
#define REBASIN_IO_MAPPED_RANGES_H_

#include <cstddef>
#include <map>
#include <mutex>
#include <span>

namespace rebasin {

// Thread-safe. Used by MappedFile.
class MappedRanges {
 public:
  static MappedRanges& All();

  void Add(std::span<const std::byte> range);
  void Remove(std::span<const std::byte> range);

  // Calls body() while no range can be removed, if `bytes` lie inside one.
  template <typename Body>
  void WhileMapped(std::span<const std::byte> bytes, const Body& body) {
    const std::lock_guard lock(mutex_);
    if (Contains(bytes)) body();
  }

 private:
  bool Contains(std::span<const std::byte> bytes) const;

  std::mutex mutex_;
  std::map<const std::byte*, const std::byte*> end_of_;  // by begin
};

}  // namespace rebasin

#endif  // REBASIN_IO_MAPPED_RANGES_H_
