#include "data/npz.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/npy.h"
#include "io/zip.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

constexpr std::string_view kEnding = ".npy";
constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

std::string NamesOfArrays(const ZipArchive& archive) {
  constexpr size_t kMostShown = 10;
  std::string names;
  size_t count = 0;
  for (const ZipEntry& entry : archive.entries()) {
    std::string_view name = entry.name;
    if (!name.ends_with(kEnding)) continue;
    name.remove_suffix(kEnding.size());
    if (++count <= kMostShown) {
      names += (names.empty() ? "" : ", ") + Quoted(name);
    }
  }
  if (count > kMostShown) names += ", ...";
  return names.empty() ? "no arrays" : names;
}

std::optional<Tensor> ReadArray(const ZipArchive& archive,
                                const std::string& name,
                                const std::string& source) {
  const ZipEntry* entry = archive.Find(name + std::string(kEnding));
  if (entry == nullptr) return std::nullopt;
  ZipContent content = archive.Read(*entry, kNoLimit);
  return ReadNpy(content.bytes, std::move(content.owner), name,
                 source + ": array " + Quoted(name));
}

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

// The integers of any type; what lies beyond int64 becomes its largest.
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

Tensor ReadExamples(const ZipArchive& archive, const std::string& source) {
  auto x = ReadArray(archive, "x", source);
  if (!x) {
    throw Error(ErrorCode::kMismatch,
                source + ": there is no array \"x\" in it, but " +
                    NamesOfArrays(archive),
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

Examples ReadNpz(std::span<const std::byte> file, const std::string& source) {
  const ZipArchive archive(file, source);
  const Tensor x = ReadExamples(archive, source);
  Examples examples;
  examples.shape = ExampleShape(x);
  if (const auto y = ReadArray(archive, "y", source)) {
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
