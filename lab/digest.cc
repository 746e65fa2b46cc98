#include "lab/digest.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace rebasin::lab {
namespace {

// FNV-1a: only names files in a cache, so collisions are no security problem.
class Digest {
 public:
  void Add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) {
      state_ = (state_ ^ static_cast<uint64_t>(byte)) * 0x100000001b3;
    }
  }
  template <typename T>
  void AddNumber(T number) {
    Add(std::as_bytes(std::span(&number, 1)));
  }
  std::string Text() const {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) {
      text += kDigits[state_ >> shift & 15];
    }
    return text;
  }

 private:
  uint64_t state_ = 0xcbf29ce484222325;
};

constexpr int64_t kSampled = 64;

}  // namespace

std::string TextDigest(std::string_view text) {
  Digest digest;
  digest.Add(std::as_bytes(std::span(text)));
  return digest.Text();
}

std::string DataDigest(const Dataset& data) {
  Digest digest;
  digest.AddNumber(data.size());
  for (const int64_t side : data.example_shape()) digest.AddNumber(side);
  for (int64_t i = 0; data.has_labels() && i < data.size(); ++i) {
    digest.AddNumber(data.label(i));
  }
  std::vector<float> example(static_cast<size_t>(data.example_size()));
  const int64_t step = std::max<int64_t>(1, data.size() / kSampled);
  for (int64_t i = 0; i < data.size(); i += step) {
    ReadBatch(data, {}, i, 1, example, nullptr);
    digest.Add(std::as_bytes(std::span(example)));
  }
  return digest.Text();
}

}  // namespace rebasin::lab
