#include "tensor/gemm_rounded.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "tensor/convert.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace rebasin {

#ifdef __x86_64__

#define REBASIN_BFLOAT16 __attribute__((target("avx512f,avx512bw,avx512bf16")))

namespace {

constexpr int kRows = kRoundedGemmTile.rows;
constexpr int64_t kLanes = 16;

// The bits of up to 16 rounded values, each in the lower half of a word.
REBASIN_BFLOAT16 __m512i LoadRounded(__mmask16 mask, const float* values) {
  const __m512 floats = _mm512_maskz_loadu_ps(mask, values);
  return _mm512_maskz_cvtepu16_epi32(
      mask, reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(floats)));
}

REBASIN_BFLOAT16 __m512bh AsPairs(__m512 words) {
  return reinterpret_cast<__m512bh>(words);
}

REBASIN_BFLOAT16 void AddTo(float* c, __m512 sum) {
  _mm512_storeu_ps(c, _mm512_add_ps(_mm512_loadu_ps(c), sum));
}

}  // namespace

bool MultipliesRounded() {
  static const bool can = __builtin_cpu_supports("avx512f") &&
                          __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512bf16");
  return can;
}

REBASIN_BFLOAT16 void RoundPanel(WordOrder order, int64_t steps, int64_t width,
                                 const float* panel, float* words) {
  const bool even_low = order == WordOrder::kEvenLow;
  const __m128i even_shift = _mm_cvtsi32_si128(even_low ? 0 : 16);
  const __m128i odd_shift = _mm_cvtsi32_si128(even_low ? 16 : 0);
  for (int64_t s = 0; s < steps; s += 2) {
    const float* even = panel + s * width;
    for (int64_t u = 0; u < width; u += kLanes) {
      const int64_t lanes = std::min(kLanes, width - u);
      const auto mask = static_cast<__mmask16>((1u << lanes) - 1);
      // Nothing is read beyond an odd last step.
      const __mmask16 odd_mask = s + 1 < steps ? mask : 0;
      const __m512i first =
          _mm512_maskz_sll_epi32(mask, LoadRounded(mask, even + u), even_shift);
      const __m512i second = _mm512_maskz_sll_epi32(
          mask, LoadRounded(odd_mask, even + width + u), odd_shift);
      _mm512_mask_storeu_epi32(words + u, mask, _mm512_or_si512(first, second));
    }
    words += width;
  }
}

namespace {

// Compares the sums of one tile with those of single steps. Terms of different
// sizes and signs, so that another order or another rounding would show.
bool AddsInOrder() {
  constexpr int64_t kSteps = 64, kColumns = kRoundedGemmTile.columns;
  Random random(1);
  std::vector<float> a(kSteps * kRows), b(kSteps * kColumns);
  const auto fill = [&](std::vector<float>& values) {
    for (float& value : values) {
      const double size = std::exp2(static_cast<double>(random.Below(12)));
      value =
          BF16ToFloat(FloatToBF16(static_cast<float>(size * random.Normal())));
    }
  };
  fill(a);
  fill(b);
  std::vector<float> a_words(a.size()), b_words(b.size());
  RoundPanel(WordOrder::kEvenHigh, kSteps, kRows, a.data(), a_words.data());
  RoundPanel(WordOrder::kEvenHigh, kSteps, kColumns, b.data(), b_words.data());
  std::vector<float> found(kRows * kColumns), expected(kRows * kColumns);
  MultiplyRoundedTile(kSteps / 2, a_words.data(), b_words.data(), found.data(),
                      kColumns);
  for (int64_t i = 0; i < kRows * kColumns; ++i) {
    for (int64_t s = 0; s < kSteps; ++s) {
      expected[i] = std::fma(a[s * kRows + i / kColumns],
                             b[s * kColumns + i % kColumns], expected[i]);
    }
  }
  return found == expected;
}

}  // namespace

bool MultipliesBFloat16Exactly() {
  static const bool does = MultipliesRounded() && AddsInOrder();
  return does;
}

REBASIN_BFLOAT16 void MultiplyRoundedTile(int64_t words, const float* a,
                                          const float* b, float* c,
                                          int64_t c_stride) {
  __m512 left[kRows], right[kRows];
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
    __builtin_prefetch(c + r * c_stride);
    __builtin_prefetch(c + r * c_stride + kLanes);
    left[r] = right[r] = _mm512_setzero_ps();
  }
  for (int64_t word = 0; word < words; ++word) {
    const __m512bh b_left = AsPairs(_mm512_loadu_ps(b));
    const __m512bh b_right = AsPairs(_mm512_loadu_ps(b + kLanes));
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) {
      const __m512bh pair = AsPairs(_mm512_set1_ps(a[r]));
      left[r] = _mm512_dpbf16_ps(left[r], pair, b_left);
      right[r] = _mm512_dpbf16_ps(right[r], pair, b_right);
    }
    a += kRows;
    b += 2 * kLanes;
  }
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
    AddTo(c + r * c_stride, left[r]);
    AddTo(c + r * c_stride + kLanes, right[r]);
  }
}

#else

bool MultipliesRounded() { return false; }

bool MultipliesBFloat16Exactly() { return false; }

void RoundPanel(WordOrder, int64_t, int64_t, const float*, float*) {
  assert(false);
}

void MultiplyRoundedTile(int64_t, const float*, const float*, float*, int64_t) {
  assert(false);
}

#endif  // __x86_64__

}  // namespace rebasin
