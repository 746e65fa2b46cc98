#include "data/cifar.h"

#include <array>
#include <optional>

#include "rebasin/error.h"

namespace rebasin {
namespace {

using Bytes = std::span<const std::byte>;

struct Layout {
  const char* name;
  // The number of values of each label byte; the last label is used.
  std::span<const int> labels;

  size_t record_bytes() const { return labels.size() + kCifarPixels; }
};

constexpr std::array kLabels10 = {10};
constexpr std::array kLabels100 = {20, 100};

Layout LayoutOf(Cifar cifar) {
  if (cifar == Cifar::k10) return {"CIFAR-10", kLabels10};
  return {"CIFAR-100", kLabels100};
}

Cifar OtherThan(Cifar cifar) {
  return cifar == Cifar::k10 ? Cifar::k100 : Cifar::k10;
}

bool HasSizeOf(Bytes file, Cifar cifar) {
  return file.size() % LayoutOf(cifar).record_bytes() == 0;
}

// The first label byte that is out of range; empty if there is none.
std::optional<size_t> FindWrongLabel(Bytes file, Cifar cifar) {
  const Layout layout = LayoutOf(cifar);
  for (size_t at = 0; at < file.size(); at += layout.record_bytes()) {
    for (size_t i = 0; i < layout.labels.size(); ++i) {
      if (static_cast<int>(file[at + i]) >= layout.labels[i]) return at + i;
    }
  }
  return std::nullopt;
}

[[noreturn]] void Fail(const std::string& source, const std::string& what,
                       const std::string& hint = "") {
  throw Error(ErrorCode::kBadInput, source + ": " + what, hint);
}

void CheckAny(Bytes file, const std::string& source) {
  if (IsPickle(file)) ThrowPickle(source);
  if (!file.empty()) return;
  throw Error(ErrorCode::kMismatch, source + ": the file holds no images");
}

void CheckSize(Bytes file, Cifar cifar, const std::string& source) {
  if (HasSizeOf(file, cifar)) return;
  const Layout layout = LayoutOf(cifar);
  const Cifar other = OtherThan(cifar);
  Fail(source,
       std::to_string(file.size()) + " bytes are not a whole number of " +
           layout.name + " records of " +
           std::to_string(layout.record_bytes()) + " bytes",
       HasSizeOf(file, other)
           ? "it has the size of a " + CifarName(other) + " file"
           : "");
}

void CheckLabels(Bytes file, Cifar cifar, const std::string& source) {
  const auto wrong = FindWrongLabel(file, cifar);
  if (!wrong) return;
  const Layout layout = LayoutOf(cifar);
  const size_t record = *wrong / layout.record_bytes();
  const size_t place = *wrong % layout.record_bytes();
  Fail(source, "record " + std::to_string(record) + " has the label " +
                   std::to_string(static_cast<int>(file[*wrong])) +
                   ", expected less than " +
                   std::to_string(layout.labels[place]) + " (" + layout.name +
                   ")");
}

}  // namespace

std::string CifarName(Cifar cifar) { return LayoutOf(cifar).name; }

int64_t CifarClasses(Cifar cifar) { return LayoutOf(cifar).labels.back(); }

bool IsPickle(Bytes file) {
  return file.size() >= 2 && file[0] == std::byte{0x80} &&
         file[1] >= std::byte{2} && file[1] <= std::byte{5};
}

void ThrowPickle(const std::string& source) {
  throw Error(ErrorCode::kUnsupported,
              source +
                  ": a batch of the Python version (a pickle), which is "
                  "never unpickled",
              "get the binary version of the data set");
}

void AppendCifar(Bytes file, Cifar cifar, const std::string& source,
                 Examples& images) {
  CheckAny(file, source);
  CheckSize(file, cifar, source);
  CheckLabels(file, cifar, source);
  const Layout layout = LayoutOf(cifar);
  const size_t records = file.size() / layout.record_bytes();
  images.labels.reserve(images.labels.size() + records);
  images.bytes.reserve(images.bytes.size() + records * kCifarPixels);
  const auto* record = reinterpret_cast<const uint8_t*>(file.data());
  for (size_t i = 0; i < records; ++i, record += layout.record_bytes()) {
    const uint8_t* const pixels = record + layout.labels.size();
    images.labels.push_back(pixels[-1]);
    images.bytes.insert(images.bytes.end(), pixels, pixels + kCifarPixels);
  }
}

Cifar RecogniseCifar(Bytes file, const std::string& source) {
  CheckAny(file, source);
  const bool fits10 = HasSizeOf(file, Cifar::k10);
  const bool fits100 = HasSizeOf(file, Cifar::k100);
  if (!fits10 && !fits100) {
    Fail(source, std::to_string(file.size()) +
                     " bytes are neither CIFAR-10 records of 3073 bytes nor "
                     "CIFAR-100 records of 3074");
  }
  if (fits10 && fits100) {
    return FindWrongLabel(file, Cifar::k10) ? Cifar::k100 : Cifar::k10;
  }
  return fits10 ? Cifar::k10 : Cifar::k100;
}

}  // namespace rebasin
