#pragma once

#include <cstdint>

namespace pairs::ops {

// Matrix products of small float32 matrices on the calling thread, for one instruction set. B is packed in panels of
// `columns` columns. Every element of a result is one chain of fused multiply-adds in the order of the inner index (for
// `outer`, restarted every kOuterRows rows), so it depends neither on how rows are grouped nor on the instruction set.
struct GemmTiles {
  const char* name;
  std::int64_t rows, columns;  // size of the register tile

  // The number of floats in the panels of B [k, n].
  std::int64_t (*packed_size)(std::int64_t k, std::int64_t n);
  // Pack B = source [k, n], and B = the transpose of source [n, k].
  void (*pack)(const float* source, std::int64_t k, std::int64_t n, float* panels);
  void (*pack_transposed)(const float* source, std::int64_t k, std::int64_t n, float* panels);
  // c [m, n] = a [m, k] B + bias (none if null), plus c itself with `add`. lda and ldc are the lengths of a row.
  void (*multiply)(const float* a, std::int64_t lda, std::int64_t m, std::int64_t k, const float* panels,
                   std::int64_t n, const float* bias, float* c, std::int64_t ldc, bool add);
  // c [p, q] = a^T b over m rows, a [m, p], b [m, q]; c has rows of length q.
  void (*outer)(const float* a, std::int64_t lda, const float* b, std::int64_t ldb, std::int64_t m, std::int64_t p,
                std::int64_t q, float* c);
};

// The best for this processor; null if it has neither AVX-512 nor AVX2 with FMA.
const GemmTiles* gemm_tiles();

// For a named instruction set, "avx512" or "avx2"; null if this processor lacks it.
const GemmTiles* gemm_tiles(const char* name);

}  // namespace pairs::ops
