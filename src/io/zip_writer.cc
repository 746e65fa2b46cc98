#include "io/zip_writer.h"

#include <algorithm>

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
constexpr uint16_t kPaddingField = 0x4246;  // as PyTorch pads

// Numbers in the order of the format.
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
  std::span<const std::byte> bytes() const {
    return std::as_bytes(std::span(text_));
  }

 private:
  std::string text_;
};

uint32_t Narrow(uint64_t value) {
  return static_cast<uint32_t>(std::min(value, kSee64));
}

bool IsWide(uint64_t value) { return value >= kSee64; }

// A field of the extra part.
std::string Field(uint16_t id, const std::string& content) {
  return Record()
      .Put(id)
      .Put(static_cast<uint16_t>(content.size()))
      .Put(content)
      .text();
}

// Fills up so that what follows starts at a multiple of kAlignment. A field has
// four bytes of its own.
std::string Padding(uint64_t begin) {
  constexpr size_t kFieldBytes = 4;
  const size_t fill =
      (kAlignment - (begin + kFieldBytes) % kAlignment) % kAlignment;
  return Field(kPaddingField, std::string(fill, '\0'));
}

}  // namespace

void ZipWriter::Add(const std::string& name, std::span<const std::byte> head,
                    std::span<const std::byte> rest) {
  constexpr size_t kLongestName = 0x7FFF;
  if (name.size() > kLongestName) {
    throw Error(ErrorCode::kLimit,
                "the name of a zip entry has " + std::to_string(name.size()) +
                    " bytes; the limit is " + std::to_string(kLongestName));
  }
  Entry entry{.name = name,
              .crc = Crc32(rest, Crc32(head)),
              .size = head.size() + rest.size(),
              .offset = static_cast<uint64_t>(file_.written())};
  std::string extra;
  if (IsWide(entry.size)) {
    extra = Field(kZip64Field, Record().Put(entry.size).Put(entry.size).text());
  }
  extra += Padding(entry.offset + kLocalBytes + name.size() + extra.size());
  const Record header = Record()
                            .Put(uint32_t{0x04034b50})
                            .Put(IsWide(entry.size) ? kVersion64 : kVersion)
                            .Put(kUtf8Names)
                            .Put(uint16_t{0})  // stored
                            .Put(kMidnight)
                            .Put(kFirstOfJanuary1980)
                            .Put(entry.crc)
                            .Put(Narrow(entry.size))
                            .Put(Narrow(entry.size))
                            .Put(static_cast<uint16_t>(name.size()))
                            .Put(static_cast<uint16_t>(extra.size()))
                            .Put(name)
                            .Put(extra);
  file_.Write(header.bytes());
  file_.Write(head);
  file_.Write(rest);
  entries_.push_back(std::move(entry));
}

void ZipWriter::Finish() {
  const auto begin = static_cast<uint64_t>(file_.written());
  for (const Entry& entry : entries_) {
    Record wide;
    if (IsWide(entry.size)) wide.Put(entry.size).Put(entry.size);
    if (IsWide(entry.offset)) wide.Put(entry.offset);
    const std::string extra =
        wide.text().empty() ? "" : Field(kZip64Field, wide.text());
    const uint16_t version = extra.empty() ? kVersion : kVersion64;
    const Record header = Record()
                              .Put(uint32_t{0x02014b50})
                              .Put(version)
                              .Put(version)
                              .Put(kUtf8Names)
                              .Put(uint16_t{0})
                              .Put(kMidnight)
                              .Put(kFirstOfJanuary1980)
                              .Put(entry.crc)
                              .Put(Narrow(entry.size))
                              .Put(Narrow(entry.size))
                              .Put(static_cast<uint16_t>(entry.name.size()))
                              .Put(static_cast<uint16_t>(extra.size()))
                              .Put(uint16_t{0})  // no comment
                              .Put(uint16_t{0})  // the first disk
                              .Put(uint16_t{0})  // attributes: none
                              .Put(uint32_t{0})
                              .Put(Narrow(entry.offset))
                              .Put(entry.name)
                              .Put(extra);
    file_.Write(header.bytes());
  }
  const auto end = static_cast<uint64_t>(file_.written());
  const uint64_t size = end - begin, count = entries_.size();
  if (IsWide(begin) || IsWide(size) || count >= kCount64) {
    constexpr uint64_t kRestOfRecord = 44;
    file_.Write(Record()
                    .Put(uint32_t{0x06064b50})
                    .Put(kRestOfRecord)
                    .Put(kVersion64)
                    .Put(kVersion64)
                    .Put(uint32_t{0})
                    .Put(uint32_t{0})
                    .Put(count)
                    .Put(count)
                    .Put(size)
                    .Put(begin)
                    .bytes());
    file_.Write(Record()
                    .Put(uint32_t{0x07064b50})
                    .Put(uint32_t{0})
                    .Put(end)
                    .Put(uint32_t{1})
                    .bytes());
  }
  const auto few = static_cast<uint16_t>(std::min(count, kCount64));
  file_.Write(Record()
                  .Put(uint32_t{0x06054b50})
                  .Put(uint16_t{0})
                  .Put(uint16_t{0})
                  .Put(few)
                  .Put(few)
                  .Put(Narrow(size))
                  .Put(Narrow(begin))
                  .Put(uint16_t{0})
                  .bytes());
}

}  // namespace rebasin
