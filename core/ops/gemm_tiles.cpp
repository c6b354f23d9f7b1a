#include "core/ops/gemm_tiles.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define PAIRS_GEMM_TILES 1
#endif

namespace pairs::ops {

#ifdef PAIRS_GEMM_TILES

namespace {
// Rows in one chain of `outer`: their columns stay in the first-level cache.
constexpr std::int64_t kOuterRows = 64;
}  // namespace

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")
#endif
namespace avx512 {
namespace {

#include "core/ops/lanes_avx512.h"
constexpr int kRows = 6, kVectors = 4;  // 24 of 32 registers

#include "core/ops/gemm_tiles_simd.h"

}  // namespace
}  // namespace avx512
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
namespace avx2 {
namespace {

#include "core/ops/lanes_avx2.h"
constexpr int kRows = 6, kVectors = 2;  // 12 of 16 registers

#include "core/ops/gemm_tiles_simd.h"

}  // namespace
}  // namespace avx2
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace {

constexpr GemmTiles kAvx512{"avx512",     avx512::kRows,           avx512::kColumns, avx512::packed_size,
                            avx512::pack, avx512::pack_transposed, avx512::multiply, avx512::outer};
constexpr GemmTiles kAvx2{"avx2",     avx2::kRows,           avx2::kColumns, avx2::packed_size,
                          avx2::pack, avx2::pack_transposed, avx2::multiply, avx2::outer};

bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
}
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

}  // namespace

const GemmTiles* gemm_tiles(const char* name) {
  if (std::strcmp(name, "avx512") == 0 && has_avx512()) return &kAvx512;
  if (std::strcmp(name, "avx2") == 0 && has_avx2()) return &kAvx2;
  return nullptr;
}

const GemmTiles* gemm_tiles() {
  static const GemmTiles* const best = has_avx512() ? &kAvx512 : has_avx2() ? &kAvx2 : nullptr;
  return best;
}

#else

const GemmTiles* gemm_tiles(const char*) {
  return nullptr;
}
const GemmTiles* gemm_tiles() {
  return nullptr;
}

#endif

}  // namespace pairs::ops
