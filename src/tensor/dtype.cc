#include <algorithm>
#include <array>

#include "rebasin/tensor.h"

namespace rebasin {
namespace {

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  int bits;
};

// In the order of the enum; the names are those of the safetensors format.
constexpr std::array kTypes = {
    DTypeInfo{DType::kBool, "BOOL", 8},
    DTypeInfo{DType::kU8, "U8", 8},
    DTypeInfo{DType::kI8, "I8", 8},
    DTypeInfo{DType::kF8E5M2, "F8_E5M2", 8},
    DTypeInfo{DType::kF8E4M3, "F8_E4M3", 8},
    DTypeInfo{DType::kF8E8M0, "F8_E8M0", 8},
    DTypeInfo{DType::kF8E4M3Fnuz, "F8_E4M3FNUZ", 8},
    DTypeInfo{DType::kF8E5M2Fnuz, "F8_E5M2FNUZ", 8},
    DTypeInfo{DType::kF4, "F4", 4},
    DTypeInfo{DType::kF6E2M3, "F6_E2M3", 6},
    DTypeInfo{DType::kF6E3M2, "F6_E3M2", 6},
    DTypeInfo{DType::kI16, "I16", 16},
    DTypeInfo{DType::kU16, "U16", 16},
    DTypeInfo{DType::kF16, "F16", 16},
    DTypeInfo{DType::kBF16, "BF16", 16},
    DTypeInfo{DType::kI32, "I32", 32},
    DTypeInfo{DType::kU32, "U32", 32},
    DTypeInfo{DType::kF32, "F32", 32},
    DTypeInfo{DType::kC64, "C64", 64},
    DTypeInfo{DType::kF64, "F64", 64},
    DTypeInfo{DType::kI64, "I64", 64},
    DTypeInfo{DType::kU64, "U64", 64},
};

constexpr bool IsInEnumOrder() {
  for (size_t i = 0; i < kTypes.size(); ++i) {
    if (static_cast<size_t>(kTypes[i].dtype) != i) return false;
  }
  return true;
}
static_assert(IsInEnumOrder());

const DTypeInfo& InfoOf(DType dtype) {
  return kTypes[static_cast<size_t>(dtype)];
}

}  // namespace

std::string_view DTypeName(DType dtype) { return InfoOf(dtype).name; }

std::optional<DType> DTypeFromName(std::string_view name) {
  const auto found =
      std::find_if(kTypes.begin(), kTypes.end(),
                   [&](const DTypeInfo& info) { return info.name == name; });
  if (found == kTypes.end()) return std::nullopt;
  return found->dtype;
}

int DTypeBits(DType dtype) { return InfoOf(dtype).bits; }

bool IsArithmetic(DType dtype) {
  return dtype == DType::kF64 || dtype == DType::kF32 || dtype == DType::kF16 ||
         dtype == DType::kBF16;
}

std::string ShapeText(std::span<const int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

}  // namespace rebasin
