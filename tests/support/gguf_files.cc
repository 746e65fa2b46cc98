#include "support/gguf_files.h"

#include "support/zip_files.h"

namespace rebasin {
namespace {

constexpr uint32_t kU32 = 4, kText = 8, kArray = 9;

std::string Text(const std::string& text) {
  return Little(text.size(), 8) + text;
}

void Pad(std::string& text, uint64_t alignment) {
  text.resize((text.size() + alignment - 1) / alignment * alignment);
}

std::string TensorInfo(const GgufPart& part, uint64_t offset) {
  std::string info = Text(part.name) + Little(part.sizes.size(), 4);
  for (const uint64_t size : part.sizes) info += Little(size, 8);
  return info + Little(part.type, 4) + Little(part.offset.value_or(offset), 8);
}

}  // namespace

std::string GgufText(const std::string& text) {
  return Little(kText, 4) + Text(text);
}

std::string GgufU32(uint32_t value) {
  return Little(kU32, 4) + Little(value, 4);
}

std::string GgufArray(uint32_t type, uint64_t count,
                      const std::string& content) {
  return Little(kArray, 4) + Little(type, 4) + Little(count, 8) + content;
}

std::string GgufFile(const GgufParts& parts) {
  std::string file =
      "GGUF" + Little(parts.version, 4) +
      Little(parts.tensor_count.value_or(parts.tensors.size()), 8) +
      Little(parts.metadata_count.value_or(parts.metadata.size()), 8);
  for (const GgufEntry& entry : parts.metadata) {
    file += Text(entry.key) + entry.value;
  }
  std::string data;
  size_t end = 0;
  for (const GgufPart& part : parts.tensors) {
    Pad(data, parts.alignment);
    file += TensorInfo(part, data.size());
    data += part.data;
    end = data.size();
  }
  Pad(file, parts.alignment);
  if (parts.pad_end) Pad(data, parts.alignment);
  return file + data.substr(0, parts.pad_end ? data.size() : end);
}

}  // namespace rebasin
