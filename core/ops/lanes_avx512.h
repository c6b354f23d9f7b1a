// A vector of floats for AVX-512: operators' files include this inside a namespace of their own, compiled for it.

using Vec = __m512;
using Mask = __mmask16;
constexpr std::int64_t kLanes = 16;

inline Vec zero() {
  return _mm512_setzero_ps();
}
inline Vec broadcast(const float* p) {
  return _mm512_set1_ps(*p);
}
inline Vec load(const float* p) {
  return _mm512_loadu_ps(p);
}
inline Vec load(const float* p, Mask mask) {
  return _mm512_maskz_loadu_ps(mask, p);
}
inline void store(float* p, Vec x) {
  _mm512_storeu_ps(p, x);
}
inline void store(float* p, Vec x, Mask mask) {
  _mm512_mask_storeu_ps(p, mask, x);
}
inline Vec fma(Vec a, Vec b, Vec c) {
  return _mm512_fmadd_ps(a, b, c);
}
inline Vec add(Vec a, Vec b) {
  return _mm512_add_ps(a, b);
}
inline Vec mul(Vec a, Vec b) {
  return _mm512_mul_ps(a, b);
}
inline Mask mask_of(std::int64_t lanes) {
  return static_cast<Mask>((1u << lanes) - 1u);
}
