// A vector of floats for AVX2: operators' files include this inside a namespace of their own, compiled for it.

using Vec = __m256;
using Mask = __m256i;
constexpr std::int64_t kLanes = 8;

inline Vec zero() {
  return _mm256_setzero_ps();
}
inline Vec broadcast(const float* p) {
  return _mm256_broadcast_ss(p);
}
inline Vec load(const float* p) {
  return _mm256_loadu_ps(p);
}
inline Vec load(const float* p, Mask mask) {
  return _mm256_maskload_ps(p, mask);
}
inline void store(float* p, Vec x) {
  _mm256_storeu_ps(p, x);
}
inline void store(float* p, Vec x, Mask mask) {
  _mm256_maskstore_ps(p, mask, x);
}
inline Vec fma(Vec a, Vec b, Vec c) {
  return _mm256_fmadd_ps(a, b, c);
}
inline Vec add(Vec a, Vec b) {
  return _mm256_add_ps(a, b);
}
inline Vec mul(Vec a, Vec b) {
  return _mm256_mul_ps(a, b);
}
inline Mask mask_of(std::int64_t lanes) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(lanes)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
