#include "formats/gguf_types.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "io/bytes.h"
#include "tensor/convert.h"

namespace rebasin {
namespace {

// From ggml.h. Missing numbers were withdrawn or are never stored.
constexpr std::array kTypes = {
    GgufType{0, "F32", 1, 4, DType::kF32},
    GgufType{1, "F16", 1, 2, DType::kF16},
    GgufType{2, "Q4_0", 32, 18},
    GgufType{3, "Q4_1", 32, 20},
    GgufType{6, "Q5_0", 32, 22},
    GgufType{7, "Q5_1", 32, 24},
    GgufType{kGgufQ8_0, "Q8_0", 32, 34, DType::kF32},
    GgufType{10, "Q2_K", 256, 84},
    GgufType{11, "Q3_K", 256, 110},
    GgufType{12, "Q4_K", 256, 144},
    GgufType{13, "Q5_K", 256, 176},
    GgufType{14, "Q6_K", 256, 210},
    GgufType{15, "Q8_K", 256, 292},
    GgufType{16, "IQ2_XXS", 256, 66},
    GgufType{17, "IQ2_XS", 256, 74},
    GgufType{18, "IQ3_XXS", 256, 98},
    GgufType{19, "IQ1_S", 256, 50},
    GgufType{20, "IQ4_NL", 32, 18},
    GgufType{21, "IQ3_S", 256, 110},
    GgufType{22, "IQ2_S", 256, 82},
    GgufType{23, "IQ4_XS", 256, 136},
    GgufType{24, "I8", 1, 1, DType::kI8},
    GgufType{25, "I16", 1, 2, DType::kI16},
    GgufType{26, "I32", 1, 4, DType::kI32},
    GgufType{27, "I64", 1, 8, DType::kI64},
    GgufType{28, "F64", 1, 8, DType::kF64},
    GgufType{29, "IQ1_M", 256, 56},
    GgufType{30, "BF16", 1, 2, DType::kBF16},
    GgufType{34, "TQ1_0", 256, 54},
    GgufType{35, "TQ2_0", 256, 66},
    GgufType{39, "MXFP4", 32, 17},
    GgufType{40, "NVFP4", 64, 36},
    GgufType{41, "Q1_0", 128, 18},
};

constexpr size_t kQ8Elements = 32, kQ8Bytes = 34;

}  // namespace

const GgufType* FindGgufType(uint32_t number) {
  const auto* found =
      std::find_if(kTypes.begin(), kTypes.end(),
                   [&](const GgufType& type) { return type.number == number; });
  return found == kTypes.end() ? nullptr : found;
}

void DequantizeQ8(std::span<const std::byte> blocks, std::span<float> out) {
  assert(blocks.size() / kQ8Bytes * kQ8Elements == out.size());
  for (size_t block = 0; block < blocks.size() / kQ8Bytes; ++block) {
    const auto bytes = blocks.subspan(block * kQ8Bytes, kQ8Bytes);
    const float scale = F16ToFloat(LoadLittle<uint16_t>(bytes, 0));
    float* to = out.data() + block * kQ8Elements;
    for (size_t i = 0; i < kQ8Elements; ++i) {
      to[i] = scale * static_cast<float>(static_cast<int8_t>(bytes[2 + i]));
    }
  }
}

}  // namespace rebasin
