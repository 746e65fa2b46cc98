#include "data/npz.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "formats/npy.h"
#include "io/zip.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// The arrays of an archive; warns about its other content.
class Arrays {
 public:
  Arrays(const ZipArchive& archive, const NpzOptions& options,
         const std::string& source)
      : archive_(archive), options_(options), source_(source) {
    for (const ZipEntry& entry : archive.entries()) {
      if (const auto name = ArrayName(entry, options, source)) AddName(*name);
    }
  }

  // The names of the arrays for messages.
  std::string Names() const {
    if (count_ == 0) return "no arrays";
    return count_ > kMaxShown ? names_ + ", ..." : names_;
  }

  std::optional<Tensor> Read(const std::string& name) const {
    const ZipEntry* entry = archive_.Find(name + ".npy");
    if (entry == nullptr) return std::nullopt;
    ZipContent content = archive_.Read(*entry, kNoLimit);
    return ReadNpy(content.bytes, std::move(content.owner), name,
                   source_ + ": array " + Quoted(name), options_.arrays);
  }

 private:
  static constexpr size_t kMaxShown = 10;

  void AddName(const std::string& name) {
    if (++count_ > kMaxShown) return;
    names_ += (names_.empty() ? "" : ", ") + Quoted(name);
  }

  const ZipArchive& archive_;
  const NpzOptions& options_;
  const std::string& source_;
  std::string names_;
  size_t count_ = 0;
};

Shape ExampleShape(const Tensor& x) {
  Shape shape(x.shape.begin() + 1, x.shape.end());
  if (shape.empty()) return {1};
  if (shape.size() == 2) shape.insert(shape.begin(), 1);
  return shape;
}

std::vector<uint8_t> Bytes(const Tensor& x) {
  const auto* begin = reinterpret_cast<const uint8_t*>(x.bytes.data());
  return {begin, begin + x.bytes.size()};
}

std::vector<float> Floats(const Tensor& x, const std::string& source) {
  std::vector<float> values(static_cast<size_t>(x.size()));
  ReadFloats(x, 0, values);
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw Error(ErrorCode::kBadInput,
                source +
                    ": array \"x\" has a value that is not finite at "
                    "element " +
                    std::to_string(i));
  }
  return values;
}

// The integers of any type; values beyond int64 become its maximum.
template <typename T>
std::vector<int64_t> Widened(const Tensor& y) {
  std::vector<int64_t> values;
  values.reserve(static_cast<size_t>(y.size()));
  for (size_t at = 0; at < y.bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, y.bytes.data() + at, sizeof value);
    values.push_back(std::in_range<int64_t>(value)
                         ? static_cast<int64_t>(value)
                         : std::numeric_limits<int64_t>::max());
  }
  return values;
}

std::vector<int64_t> Integers(const Tensor& y, const std::string& source) {
  switch (y.dtype) {
    case DType::kU8:
      return Widened<uint8_t>(y);
    case DType::kI8:
      return Widened<int8_t>(y);
    case DType::kU16:
      return Widened<uint16_t>(y);
    case DType::kI16:
      return Widened<int16_t>(y);
    case DType::kU32:
      return Widened<uint32_t>(y);
    case DType::kI32:
      return Widened<int32_t>(y);
    case DType::kU64:
      return Widened<uint64_t>(y);
    case DType::kI64:
      return Widened<int64_t>(y);
    default:
      throw Error(ErrorCode::kUnsupported,
                  source + ": array \"y\" has element type " +
                      std::string(DTypeName(y.dtype)) +
                      "; labels are whole numbers");
  }
}

std::vector<int32_t> ReadLabels(const Tensor& y, int64_t examples,
                                const std::string& source) {
  if (y.shape != Shape{examples}) {
    throw Error(ErrorCode::kMismatch,
                source + ": array \"y\" has shape " + ShapeText(y.shape) +
                    ", but \"x\" has " + std::to_string(examples) +
                    " examples");
  }
  std::vector<int32_t> labels;
  labels.reserve(static_cast<size_t>(examples));
  for (const int64_t label : Integers(y, source)) {
    if (label < 0 || label >= kMaxClasses) {
      throw Error(label < 0 ? ErrorCode::kBadInput : ErrorCode::kLimit,
                  source + ": array \"y\" has the label " +
                      std::to_string(label) + "; labels are from 0 to " +
                      std::to_string(kMaxClasses - 1));
    }
    labels.push_back(static_cast<int32_t>(label));
  }
  return labels;
}

Tensor ReadExamples(const Arrays& arrays, const std::string& source) {
  auto x = arrays.Read("x");
  if (!x) {
    throw Error(
        ErrorCode::kMismatch,
        source + ": there is no array \"x\" in it, but " + arrays.Names(),
        "save the examples as x and their labels as y");
  }
  if (x->dtype != DType::kU8 && !IsArithmetic(x->dtype)) {
    throw Error(ErrorCode::kUnsupported,
                source + ": array \"x\" has element type " +
                    std::string(DTypeName(x->dtype)) +
                    "; examples are bytes (u1) or floating-point numbers");
  }
  if (x->shape.empty() || x->size() == 0) {
    throw Error(ErrorCode::kMismatch, source + ": array \"x\" of shape " +
                                          ShapeText(x->shape) +
                                          " holds no examples");
  }
  return std::move(*x);
}

}  // namespace

Examples ReadNpz(std::span<const std::byte> file, const std::string& source,
                 const NpzOptions& options) {
  const ZipArchive archive(file, source);
  CheckArrayNames(archive, source);
  const Arrays arrays(archive, options, source);
  const Tensor x = ReadExamples(arrays, source);
  Examples examples;
  examples.shape = ExampleShape(x);
  if (const auto y = arrays.Read("y")) {
    examples.labels = ReadLabels(*y, x.shape[0], source);
  }
  if (x.dtype == DType::kU8) {
    examples.bytes = Bytes(x);
  } else {
    examples.floats = Floats(x, source);
  }
  return examples;
}

}  // namespace rebasin
