#include "support/zip_files.h"

#include <zlib.h>

#include <algorithm>
#include <stdexcept>

namespace rebasin {
namespace {

constexpr uint64_t kSee64 = 0xFFFFFFFF;

std::string Compress(const std::string& content, int window_bits) {
  z_stream zlib = {};
  if (deflateInit2(&zlib, 9, Z_DEFLATED, window_bits, 9, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::runtime_error("deflateInit2");
  }
  std::string out(deflateBound(&zlib, content.size()) + 64, '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  zlib.avail_in = static_cast<uInt>(content.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  deflate(&zlib, Z_FINISH);
  out.resize(zlib.total_out);
  deflateEnd(&zlib);
  return out;
}

// The fields that both headers of an entry have, from flags to sizes.
std::string CommonFields(const ZipPart& part, const std::string& stored) {
  const uint64_t size = part.size.value_or(part.content.size());
  return Little(part.flags, 2) +
         Little(part.method.value_or(part.deflated ? 8 : 0), 2) + Little(0, 4) +
         Little(part.crc.value_or(Crc32(part.content)), 4) +
         Little(part.zip64 ? kSee64 : stored.size(), 4) +
         Little(part.zip64 ? kSee64 : size, 4);
}

std::string Extra(const ZipPart& part, const std::string& stored,
                  std::optional<uint64_t> offset) {
  if (!part.zip64) return "";
  const std::string fields =
      Little(part.size.value_or(part.content.size()), 8) +
      Little(stored.size(), 8) + (offset ? Little(*offset, 8) : "");
  return Little(1, 2) + Little(fields.size(), 2) + fields;
}

// With what the local header is to say otherwise than the directory.
ZipPart LocalPart(ZipPart part) {
  if (part.local_flags) part.flags = *part.local_flags;
  if (part.local_crc) part.crc = part.local_crc;
  if (part.local_size) part.size = part.local_size;
  return part;
}

std::string LocalEntry(const ZipPart& part, const std::string& stored) {
  const ZipPart local = LocalPart(part);
  const std::string name = part.local_name.value_or(part.name);
  const std::string extra = Extra(local, stored, std::nullopt);
  return "PK\x03\x04" + Little(20, 2) + CommonFields(local, stored) +
         Little(name.size(), 2) + Little(extra.size(), 2) + name + extra +
         stored + part.descriptor;
}

std::string DirectoryEntry(const ZipPart& part, const std::string& stored,
                           uint64_t offset) {
  const std::string extra = Extra(part, stored, offset);
  return "PK\x01\x02" + Little(20, 2) + Little(20, 2) +
         CommonFields(part, stored) + Little(part.name.size(), 2) +
         Little(extra.size(), 2) + Little(0, 2) + Little(0, 2) + Little(0, 2) +
         Little(0, 4) + Little(part.zip64 ? kSee64 : offset, 4) + part.name +
         extra;
}

std::string EndRecords(const ZipEnd& end, uint64_t entries, uint64_t offset,
                       uint64_t size) {
  const uint64_t at = offset + size;
  std::string records;
  if (end.zip64) {
    records += "PK\x06\x06" + Little(44, 8) + Little(45, 2) + Little(45, 2) +
               Little(end.disk, 4) + Little(0, 4) + Little(entries, 8) +
               Little(entries, 8) + Little(size, 8) + Little(offset, 8);
    records += "PK\x06\x07" + Little(0, 4) + Little(at, 8) + Little(1, 4);
  }
  const uint64_t few = end.zip64 ? 0xFFFF : entries;
  return records + "PK\x05\x06" + Little(end.disk, 2) + Little(0, 2) +
         Little(few, 2) + Little(few, 2) +
         Little(end.zip64 ? kSee64 : size, 4) +
         Little(end.zip64 ? kSee64 : offset, 4) +
         Little(end.comment.size(), 2) + end.comment;
}

}  // namespace

std::string Little(uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}

std::string Big(uint64_t value, int bytes) {
  std::string out = Little(value, bytes);
  std::reverse(out.begin(), out.end());
  return out;
}

std::string Deflate(const std::string& content) {
  return Compress(content, -MAX_WBITS);
}

std::string Gzip(const std::string& content) {
  return Compress(content, MAX_WBITS + 16);
}

uint32_t Crc32(const std::string& content) {
  return static_cast<uint32_t>(crc32_z(
      0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
}

std::string MakeZip(const std::vector<ZipPart>& parts, const ZipEnd& end) {
  std::string file = end.prefix;
  std::string directory;
  for (const ZipPart& part : parts) {
    const std::string stored =
        part.deflated ? Deflate(part.content) : part.content;
    directory +=
        DirectoryEntry(part, stored, part.offset.value_or(file.size()));
    file += LocalEntry(part, stored);
  }
  const uint64_t offset = end.directory_offset.value_or(file.size());
  return file + directory +
         EndRecords(end, end.entries.value_or(parts.size()), offset,
                    directory.size());
}

}  // namespace rebasin
