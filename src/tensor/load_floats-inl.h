// Vectors of floats loaded from elements of any arithmetic type, for the
// instruction set in use. Included once for each by files with kernels, after
// <hwy/highway.h>.

#include "tensor/elements.h"

#if defined(REBASIN_TENSOR_LOAD_FLOATS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef REBASIN_TENSOR_LOAD_FLOATS_INL_H_
#undef REBASIN_TENSOR_LOAD_FLOATS_INL_H_
#else
#define REBASIN_TENSOR_LOAD_FLOATS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace rebasin::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const float* from) {
  return hn::LoadU(d, from);
}

template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const BF16* from) {
  const hn::Rebind<uint16_t, D> halves;
  const hn::RebindToUnsigned<D> words;
  const auto bits = hn::LoadU(halves, reinterpret_cast<const uint16_t*>(from));
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(words, bits)));
}

template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const F16* from) {
  const hn::Rebind<hwy::float16_t, D> halves;
  return hn::PromoteTo(
      d, hn::LoadU(halves, reinterpret_cast<const hwy::float16_t*>(from)));
}

// Through memory: twice as many doubles do not fit a vector on every target.
template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const double* from) {
  float floats[hn::MaxLanes(D())];
  for (size_t i = 0; i < hn::MaxLanes(D()); ++i) {
    floats[i] = static_cast<float>(from[i]);
  }
  return hn::LoadU(d, floats);
}

}  // namespace rebasin::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
