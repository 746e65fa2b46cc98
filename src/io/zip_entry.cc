#include "io/zip_entry.h"

#include <cstdint>
#include <string_view>

#include "io/bytes.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

using Bytes = std::span<const std::byte>;

constexpr uint32_t kEntrySignature = 0x02014b50;
constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr uint32_t kDescriptorSignature = 0x08074b50;
constexpr size_t kEntryBytes = 46;
constexpr size_t kLocalBytes = 30;
constexpr uint32_t kSee64 = 0xFFFFFFFF;
constexpr uint16_t kZip64Field = 1;
// Bits 0, 6 and 13: kinds of encryption.
constexpr uint16_t kEncrypted = 0x2041;
constexpr uint16_t kSizesFollow = 0x0008;
constexpr uint16_t kNameIsUtf8 = 0x0800;
// Flags that change how an entry is read.
constexpr uint16_t kDecisive = kEncrypted | kSizesFollow | kNameIsUtf8;
constexpr uint16_t kStored = 0;
constexpr uint16_t kDeflated = 8;

std::string Text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// True for names that cannot lead out of the folder into which an archive is
// unpacked.
bool IsPlainName(std::string_view name) {
  if (name.empty() || name.front() == '/') return false;
  if (name.find_first_of(std::string_view("\\\0", 2)) != name.npos) {
    return false;
  }
  while (true) {
    const size_t slash = name.find('/');
    if (name.substr(0, slash) == "..") return false;
    if (slash == name.npos) return true;
    name.remove_prefix(slash + 1);
  }
}

// Reads one entry from the directory and its local header.
class EntryReader {
 public:
  EntryReader(Bytes file, size_t at, const ZipDirectoryPlace& place,
              const std::string& source)
      : file_(file), at_(at), place_(place), source_(source) {}

  ZipEntry Read(size_t* next) {
    const size_t room = place_.end - at_;
    if (room < kEntryBytes || Field<uint32_t>(0) != kEntrySignature) {
      throw Error(ErrorCode::kBadInput,
                  source_ + ": the zip directory is damaged at byte " +
                      std::to_string(at_));
    }
    const size_t name_size = Field<uint16_t>(28);
    const size_t extra_size = Field<uint16_t>(30);
    const size_t size =
        kEntryBytes + name_size + extra_size + Field<uint16_t>(32);
    if (size > room) {
      throw Error(ErrorCode::kBadInput,
                  source_ + ": the zip directory is cut short");
    }
    entry_.name = Text(file_.subspan(at_ + kEntryBytes, name_size));
    CheckKind();
    ReadPlace(file_.subspan(at_ + kEntryBytes + name_size, extra_size));
    *next = at_ + size;
    return std::move(entry_);
  }

 private:
  [[noreturn]] void Fail(const std::string& what,
                         ErrorCode code = ErrorCode::kBadInput) const {
    throw Error(code, source_ + ": entry " + Quoted(entry_.name) + " " + what);
  }

  template <typename T>
  T Field(size_t offset) const {
    return LoadLittle<T>(file_, at_ + offset);
  }

  void CheckKind() {
    const uint16_t method = Field<uint16_t>(10);
    if (!IsPlainName(entry_.name)) {
      Fail("has a name that leads out of the archive");
    }
    if ((Flags() & kEncrypted) != 0) {
      Fail("is encrypted", ErrorCode::kUnsupported);
    }
    if (method != kStored && method != kDeflated) {
      Fail("is compressed with method " + std::to_string(method) +
               "; stored and deflated entries are supported",
           ErrorCode::kUnsupported);
    }
    entry_.deflated = method == kDeflated;
    entry_.crc = Field<uint32_t>(16);
  }

  // Reads sizes and offset: 32 bits each, or 64 in the extra field, in this
  // order.
  void ReadPlace(Bytes extra) {
    Bytes wide = FindZip64(extra);
    const auto read = [&](size_t field) -> uint64_t {
      const uint32_t narrow = Field<uint32_t>(field);
      if (narrow != kSee64) return narrow;
      if (wide.size() < 8) Fail("lacks its 64-bit sizes");
      const uint64_t value = LoadLittle<uint64_t>(wide, 0);
      wide = wide.subspan(8);
      return value;
    };
    const uint64_t size = read(24);
    const uint64_t stored_size = read(20);
    const uint64_t local = read(42);
    const uint64_t limit = place_.begin;
    if (size > INT64_MAX || local > limit || limit - local < kLocalBytes) {
      Fail("lies outside of the archive");
    }
    const uint64_t begin = DataBegin(local);
    if (stored_size > limit - begin) {
      Fail("of " + std::to_string(stored_size) + " bytes at byte " +
           std::to_string(begin) + " lies outside of the archive");
    }
    if (!entry_.deflated && size != stored_size) {
      Fail("is stored as it is, but " + std::to_string(size) + " bytes as " +
           std::to_string(stored_size));
    }
    entry_.size = static_cast<int64_t>(size);
    entry_.stored_size = static_cast<int64_t>(stored_size);
    entry_.header_begin = static_cast<int64_t>(local);
    entry_.data_begin = static_cast<int64_t>(begin);
    CheckLocalSizes(local);
    entry_.end = static_cast<int64_t>(End(begin + stored_size));
  }

  // The content of the zip64 field among the extra fields; may be empty.
  Bytes FindZip64(Bytes extra) const {
    while (extra.size() >= 4) {
      const size_t size = LoadLittle<uint16_t>(extra, 2);
      if (size > extra.size() - 4) Fail("has damaged extra fields");
      if (LoadLittle<uint16_t>(extra, 0) == kZip64Field) {
        return extra.subspan(4, size);
      }
      extra = extra.subspan(4 + size);
    }
    return {};
  }

  [[noreturn]] void FailLocal(uint64_t local, const std::string& what) const {
    Fail("has a local header at byte " + std::to_string(local) +
         " that does not fit the zip directory: " + what);
  }

  // Returns the start of the content, after the local header, which must agree
  // with the directory.
  uint64_t DataBegin(uint64_t local) const {
    const size_t name_size = LoadLittle<uint16_t>(file_, local + 26);
    const size_t extra_size = LoadLittle<uint16_t>(file_, local + 28);
    const uint64_t begin = local + kLocalBytes + name_size + extra_size;
    if (begin > place_.begin ||
        LoadLittle<uint32_t>(file_, local) != kLocalSignature) {
      FailLocal(local, "it is none");
    }
    if (Text(file_.subspan(local + kLocalBytes, name_size)) != entry_.name) {
      FailLocal(local, "another name");
    }
    const uint16_t differing = Flags() ^ LoadLittle<uint16_t>(file_, local + 6);
    if ((differing & kDecisive) != 0) FailLocal(local, "other flags");
    if (LoadLittle<uint16_t>(file_, local + 8) != Field<uint16_t>(10)) {
      FailLocal(local, "another method");
    }
    return begin;
  }

  uint16_t Flags() const { return Field<uint16_t>(8); }
  bool SizesFollow() const { return (Flags() & kSizesFollow) != 0; }

  // Checks checksum and sizes: those of the directory, or none if they follow
  // the content.
  void CheckLocalSizes(uint64_t local) const {
    const size_t name_size = LoadLittle<uint16_t>(file_, local + 26);
    Bytes wide =
        FindZip64(file_.subspan(local + kLocalBytes + name_size,
                                LoadLittle<uint16_t>(file_, local + 28)));
    const auto check = [&](uint64_t here, uint64_t expected) {
      if (here == expected || (here == 0 && SizesFollow())) return;
      FailLocal(local, "another checksum or size");
    };
    // In the wide field the content's size comes first.
    const auto size = [&](size_t field) -> uint64_t {
      const uint32_t narrow = LoadLittle<uint32_t>(file_, local + field);
      if (narrow != kSee64) return narrow;
      if (wide.size() < 8) FailLocal(local, "it lacks its 64-bit sizes");
      const uint64_t value = LoadLittle<uint64_t>(wide, 0);
      wide = wide.subspan(8);
      return value;
    };
    check(LoadLittle<uint32_t>(file_, local + 14), entry_.crc);
    check(size(22), static_cast<uint64_t>(entry_.size));
    check(size(18), static_cast<uint64_t>(entry_.stored_size));
  }

  // Returns the end of the content and, if the flags announce one, of the
  // descriptor that repeats checksum and sizes: with 32 or 64 bits, with or
  // without a signature.
  uint64_t End(uint64_t content_end) const {
    if (!SizesFollow()) return content_end;
    for (const size_t head : {size_t{4}, size_t{0}}) {
      for (const size_t width : {size_t{8}, size_t{4}}) {
        const size_t size = head + 4 + 2 * width;
        if (place_.begin - content_end < size) continue;
        if (IsDescriptor(file_.subspan(content_end, size), head, width)) {
          return content_end + size;
        }
      }
    }
    Fail(
        "is not followed by the checksum and sizes that the zip directory "
        "states");
  }

  bool IsDescriptor(Bytes bytes, size_t head, size_t width) const {
    const auto number = [&](size_t at) -> uint64_t {
      return width == 8 ? LoadLittle<uint64_t>(bytes, at)
                        : LoadLittle<uint32_t>(bytes, at);
    };
    return (head == 0 ||
            LoadLittle<uint32_t>(bytes, 0) == kDescriptorSignature) &&
           LoadLittle<uint32_t>(bytes, head) == entry_.crc &&
           number(head + 4) == static_cast<uint64_t>(entry_.stored_size) &&
           number(head + 4 + width) == static_cast<uint64_t>(entry_.size);
  }

  const Bytes file_;
  const size_t at_;
  const ZipDirectoryPlace& place_;
  const std::string& source_;
  ZipEntry entry_;
};

}  // namespace

ZipEntry ReadZipEntry(Bytes file, const ZipDirectoryPlace& place, size_t at,
                      const std::string& source, size_t* next) {
  return EntryReader(file, at, place, source).Read(next);
}

}  // namespace rebasin
