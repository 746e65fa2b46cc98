#include "onnx/tensor_data.h"

#include <optional>
#include <utility>

#include "formats/limits.h"
#include "formats/safetensors_header.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

using onnx::TensorProto;

// The field that stores the elements of a type if raw_data is not used.
enum class Storage { kFloats, kInt32s, kInt64s, kDoubles, kUint64s };

struct ElementType {
  int32_t onnx;
  DType dtype;
  Kind kind;
  Storage storage;
};

constexpr ElementType kElementTypes[] = {
    {TensorProto::FLOAT, DType::kF32, Kind::kFloat, Storage::kFloats},
    {TensorProto::DOUBLE, DType::kF64, Kind::kFloat, Storage::kDoubles},
    {TensorProto::FLOAT16, DType::kF16, Kind::kFloat, Storage::kInt32s},
    {TensorProto::BFLOAT16, DType::kBF16, Kind::kFloat, Storage::kInt32s},
    {TensorProto::BOOL, DType::kBool, Kind::kBoolean, Storage::kInt32s},
    {TensorProto::INT8, DType::kI8, Kind::kInteger, Storage::kInt32s},
    {TensorProto::UINT8, DType::kU8, Kind::kInteger, Storage::kInt32s},
    {TensorProto::INT16, DType::kI16, Kind::kInteger, Storage::kInt32s},
    {TensorProto::UINT16, DType::kU16, Kind::kInteger, Storage::kInt32s},
    {TensorProto::INT32, DType::kI32, Kind::kInteger, Storage::kInt32s},
    {TensorProto::INT64, DType::kI64, Kind::kInteger, Storage::kInt64s},
    {TensorProto::UINT32, DType::kU32, Kind::kInteger, Storage::kUint64s},
    {TensorProto::UINT64, DType::kU64, Kind::kInteger, Storage::kUint64s},
};

const ElementType* FindType(int32_t data_type) {
  for (const ElementType& type : kElementTypes) {
    if (type.onnx == data_type) return &type;
  }
  return nullptr;
}

std::string TypeName(int32_t type) {
  if (TensorProto::DataType_IsValid(type)) {
    return TensorProto::DataType_Name(static_cast<TensorProto::DataType>(type));
  }
  return std::to_string(type);
}

struct Bytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

class TensorReader {
 public:
  TensorReader(const TensorProto& tensor, const TensorSource& source)
      : tensor_(tensor),
        source_(source),
        where_(source.file + ": tensor " + Quoted(tensor.name())) {}

  Tensor Read() {
    const ElementType& type = Type();
    Tensor result{.name = tensor_.name(),
                  .dtype = type.dtype,
                  .shape = ReadShape(),
                  .bytes = {},
                  .owner = {}};
    const auto size = DataBytes(type.dtype, result.shape);
    if (!size) {
      throw Bad("shape " + ShapeText(result.shape) +
                " is negative or too large");
    }
    const Bytes data = Data(type, *size);
    if (static_cast<int64_t>(data.bytes.size()) != *size) {
      throw Bad("has " + std::to_string(data.bytes.size()) +
                " bytes of data, but " + ShapeText(result.shape) + " of " +
                TypeName(type.onnx) + " takes " + std::to_string(*size));
    }
    result.bytes = data.bytes;
    result.owner = data.owner;
    return result;
  }

 private:
  Error Bad(const std::string& what) const {
    return Error(ErrorCode::kBadInput, where_ + ": " + what);
  }

  const ElementType& Type() const {
    const int32_t type = tensor_.data_type();
    if (const ElementType* found = FindType(type)) return *found;
    if (type == TensorProto::UNDEFINED) throw Bad("has no element type");
    throw Error(
        ErrorCode::kUnsupported,
        where_ + ": elements of type " + TypeName(type) + " are not supported");
  }

  Shape ReadShape() const {
    if (tensor_.name().size() > kMaxNameBytes) {
      throw Error(ErrorCode::kLimit, where_ + ": its name is too long");
    }
    if (static_cast<size_t>(tensor_.dims_size()) > kMaxRank) {
      throw Error(ErrorCode::kLimit,
                  where_ + ": has " + std::to_string(tensor_.dims_size()) +
                      " dimensions; the limit is " + std::to_string(kMaxRank));
    }
    return Shape(tensor_.dims().begin(), tensor_.dims().end());
  }

  Bytes Data(const ElementType& type, int64_t size) const {
    if (tensor_.has_segment()) {
      throw Error(ErrorCode::kUnsupported,
                  where_ + ": is stored in segments, which is not supported");
    }
    if (tensor_.data_location() == TensorProto::EXTERNAL) {
      auto [bytes, file] =
          source_.external.Get(tensor_, size, where_, source_.warnings);
      return {bytes, std::move(file)};
    }
    const Bytes typed = TypedData(type);
    if (!tensor_.has_raw_data()) return typed;
    if (!typed.bytes.empty()) throw Bad("has its data in two fields");
    return {std::as_bytes(std::span(tensor_.raw_data())), source_.model};
  }

  Bytes TypedData(const ElementType& type) const {
    switch (type.storage) {
      case Storage::kFloats:
        return InPlace(tensor_.float_data());
      case Storage::kDoubles:
        return InPlace(tensor_.double_data());
      case Storage::kInt64s:
        return InPlace(tensor_.int64_data());
      case Storage::kUint64s:
        if (type.dtype == DType::kU64) return InPlace(tensor_.uint64_data());
        return Narrowed<uint32_t>(tensor_.uint64_data());
      case Storage::kInt32s:
        return FromInt32s(type.dtype);
    }
    return {};
  }

  Bytes FromInt32s(DType dtype) const {
    switch (dtype) {
      case DType::kI32:
        return InPlace(tensor_.int32_data());
      case DType::kI8:
        return Narrowed<int8_t>(tensor_.int32_data());
      case DType::kBool:
      case DType::kU8:
        return Narrowed<uint8_t>(tensor_.int32_data());
      case DType::kI16:
        return Narrowed<int16_t>(tensor_.int32_data());
      default:  // F16 and BF16 are stored as their bits
        return Narrowed<uint16_t>(tensor_.int32_data());
    }
  }

  template <typename Elements>
  Bytes InPlace(const Elements& elements) const {
    return {std::as_bytes(std::span(elements.data(), elements.size())),
            source_.model};
  }

  template <typename Narrow, typename Elements>
  Bytes Narrowed(const Elements& elements) const {
    const auto copy = std::make_shared<std::vector<Narrow>>();
    copy->reserve(elements.size());
    for (const auto element : elements) {
      if (!std::in_range<Narrow>(element)) {
        throw Bad("element " + std::to_string(copy->size()) + " is " +
                  std::to_string(element) + ", too large for its type");
      }
      copy->push_back(static_cast<Narrow>(element));
    }
    return {std::as_bytes(std::span(*copy)), copy};
  }

  const TensorProto& tensor_;
  const TensorSource& source_;
  std::string where_;
};

}  // namespace

Tensor ReadTensor(const TensorProto& tensor, const TensorSource& source) {
  return TensorReader(tensor, source).Read();
}

std::optional<Kind> KindOfType(int32_t data_type) {
  const ElementType* type = FindType(data_type);
  return type ? std::optional(type->kind) : std::nullopt;
}

}  // namespace rebasin
