#include "io/zip_writer.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/beside.h"
#include "io/crc32.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

constexpr uint64_t kSee64 = 0xFFFFFFFF;
constexpr uint64_t kCount64 = 0xFFFF;
constexpr size_t kAlignment = 64;
constexpr size_t kLocalBytes = 30;
constexpr uint16_t kVersion = 20, kVersion64 = 45;
constexpr uint16_t kUtf8Names = 0x0800;
constexpr uint16_t kMidnight = 0, kFirstOfJanuary1980 = 0x21;
constexpr uint16_t kZip64Field = 1;
constexpr uint16_t kPaddingField = 0x4246;  // used by PyTorch

// Writes numbers in the format's byte order.
class Record {
 public:
  template <typename T>
  Record& Put(T value) {
    for (size_t i = 0; i < sizeof(T); ++i) {
      text_ += static_cast<char>(value >> (8 * i));
    }
    return *this;
  }
  Record& Put(const std::string& text) {
    text_ += text;
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

uint32_t Narrow(uint64_t value) {
  return static_cast<uint32_t>(std::min(value, kSee64));
}

bool IsWide(uint64_t value) { return value >= kSee64; }

// A field of the extra data.
std::string Field(uint16_t id, const std::string& content) {
  return Record()
      .Put(id)
      .Put(static_cast<uint16_t>(content.size()))
      .Put(content)
      .text();
}

// Pads so that the next byte is at a multiple of kAlignment. The field itself
// takes four bytes.
std::string Padding(uint64_t begin) {
  constexpr size_t kFieldBytes = 4;
  const size_t fill =
      (kAlignment - (begin + kFieldBytes) % kAlignment) % kAlignment;
  return Field(kPaddingField, std::string(fill, '\0'));
}

// The data of an entry in the directory.
struct Place {
  uint32_t crc = 0;
  uint64_t size = 0;
  uint64_t offset = 0;
};

uint64_t SizeOf(const NewZipEntry& entry) {
  return entry.head.size() + entry.rest.size();
}

uint32_t ChecksumOf(const NewZipEntry& entry) {
  return Crc32(entry.rest, Crc32(std::as_bytes(std::span(entry.head))));
}

// The fields that the local header and the directory share.
std::string CommonFields(const std::string& name, const Place& place,
                         const std::string& extra, uint16_t version) {
  return Record()
      .Put(version)
      .Put(kUtf8Names)
      .Put(uint16_t{0})  // stored
      .Put(kMidnight)
      .Put(kFirstOfJanuary1980)
      .Put(place.crc)
      .Put(Narrow(place.size))
      .Put(Narrow(place.size))
      .Put(static_cast<uint16_t>(name.size()))
      .Put(static_cast<uint16_t>(extra.size()))
      .text();
}

std::string LocalHeader(const std::string& name, const Place& place) {
  std::string extra;
  if (IsWide(place.size)) {
    extra = Field(kZip64Field, Record().Put(place.size).Put(place.size).text());
  }
  extra += Padding(place.offset + kLocalBytes + name.size() + extra.size());
  const uint16_t version = IsWide(place.size) ? kVersion64 : kVersion;
  return Record()
      .Put(uint32_t{0x04034b50})
      .Put(CommonFields(name, place, extra, version))
      .Put(name)
      .Put(extra)
      .text();
}

std::string DirectoryHeader(const std::string& name, const Place& place) {
  Record wide;
  if (IsWide(place.size)) wide.Put(place.size).Put(place.size);
  if (IsWide(place.offset)) wide.Put(place.offset);
  const std::string extra =
      wide.text().empty() ? "" : Field(kZip64Field, wide.text());
  const uint16_t version = extra.empty() ? kVersion : kVersion64;
  return Record()
      .Put(uint32_t{0x02014b50})
      .Put(version)  // of the writer
      .Put(CommonFields(name, place, extra, version))
      .Put(uint16_t{0})  // no comment
      .Put(uint16_t{0})  // the first disk
      .Put(uint16_t{0})  // attributes: none
      .Put(uint32_t{0})
      .Put(Narrow(place.offset))
      .Put(name)
      .Put(extra)
      .text();
}

// The records after a directory of `count` entries from `begin` to `end`.
std::string EndOfDirectory(uint64_t count, uint64_t begin, uint64_t end) {
  const uint64_t size = end - begin;
  Record record;
  if (IsWide(begin) || IsWide(size) || count >= kCount64) {
    constexpr uint64_t kRestOfRecord = 44;
    record.Put(uint32_t{0x06064b50})
        .Put(kRestOfRecord)
        .Put(kVersion64)
        .Put(kVersion64)
        .Put(uint32_t{0})
        .Put(uint32_t{0})
        .Put(count)
        .Put(count)
        .Put(size)
        .Put(begin);
    record.Put(uint32_t{0x07064b50}).Put(uint32_t{0}).Put(end).Put(uint32_t{1});
  }
  const auto few = static_cast<uint16_t>(std::min(count, kCount64));
  return record.Put(uint32_t{0x06054b50})
      .Put(uint16_t{0})
      .Put(uint16_t{0})
      .Put(few)
      .Put(few)
      .Put(Narrow(size))
      .Put(Narrow(begin))
      .Put(uint16_t{0})
      .text();
}

void CheckNames(std::span<const NewZipEntry> entries) {
  constexpr size_t kLongestName = 0x7FFF;
  for (const NewZipEntry& entry : entries) {
    if (entry.name.size() <= kLongestName) continue;
    throw Error(ErrorCode::kLimit, "the name of a zip entry has " +
                                       std::to_string(entry.name.size()) +
                                       " bytes; the limit is " +
                                       std::to_string(kLongestName));
  }
}

// The end of the batch of entries that starts at `begin`: large enough for a
// thread.
size_t EndOfBatch(std::span<const NewZipEntry> entries, size_t begin) {
  constexpr uint64_t kEnough = uint64_t{16} << 20;
  uint64_t bytes = 0;
  size_t end = begin;
  while (end < entries.size() && bytes < kEnough)
    bytes += SizeOf(entries[end++]);
  return end;
}

class Writer {
 public:
  Writer(std::span<const NewZipEntry> entries, AtomicFile& file)
      : entries_(entries), file_(file), places_(entries.size()) {}

  // The checksum of an entry precedes its content, so the content is read
  // twice: by two threads, one batch apart.
  void WriteEntries() {
    size_t end = EndOfBatch(entries_, 0);
    Sum(0, end);
    for (size_t begin = 0; begin < entries_.size();) {
      const size_t next_end = EndOfBatch(entries_, end);
      const Beside summing([this, end, next_end] { Sum(end, next_end); });
      for (; begin < end; ++begin) WriteEntry(begin);
      end = next_end;
    }
  }

  void WriteDirectory() {
    const auto begin = static_cast<uint64_t>(file_.written());
    for (size_t i = 0; i < entries_.size(); ++i) {
      Write(DirectoryHeader(entries_[i].name, places_[i]));
    }
    const auto end = static_cast<uint64_t>(file_.written());
    Write(EndOfDirectory(entries_.size(), begin, end));
  }

 private:
  void Sum(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      places_[i].crc = ChecksumOf(entries_[i]);
    }
  }

  void WriteEntry(size_t i) {
    places_[i].size = SizeOf(entries_[i]);
    places_[i].offset = static_cast<uint64_t>(file_.written());
    Write(LocalHeader(entries_[i].name, places_[i]));
    Write(entries_[i].head);
    file_.Write(entries_[i].rest);
  }

  void Write(const std::string& text) {
    file_.Write(std::as_bytes(std::span(text)));
  }

  const std::span<const NewZipEntry> entries_;
  AtomicFile& file_;
  std::vector<Place> places_;
};

}  // namespace

void WriteZip(std::span<const NewZipEntry> entries, AtomicFile& file) {
  CheckNames(entries);
  uint64_t bytes = 0;
  for (const NewZipEntry& entry : entries) bytes += SizeOf(entry);
  file.Reserve(static_cast<int64_t>(bytes));
  Writer writer(entries, file);
  writer.WriteEntries();
  writer.WriteDirectory();
}

}  // namespace rebasin
