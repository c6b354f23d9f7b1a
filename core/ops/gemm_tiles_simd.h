// The tiles for one instruction set: gemm_tiles.cpp includes this file once for each, inside a namespace that defines
// Vec, Mask, kLanes, kRows, kVectors, zero, broadcast, load, store, fma, add and mask_of.

constexpr std::int64_t kColumns = kVectors * kLanes;

inline std::int64_t vectors_of(std::int64_t columns) {
  return (columns + kLanes - 1) / kLanes;
}

// R x (V vectors) of c, the last vector of `lanes` columns; a(r, k) = a[r * row_step + k * k_step], row k of B at
// b + k * ldb, its last vector masked when MaskB.
template <int R, int V, bool MaskB>
inline void tile(const float* a, std::int64_t row_step, std::int64_t k_step, const float* b, std::int64_t ldb,
                 std::int64_t k, const float* bias, float* c, std::int64_t ldc, std::int64_t lanes, bool accumulate) {
  const Mask mask = mask_of(lanes);
  Vec sum[R][V];
#pragma GCC unroll 8
  for (int v = 0; v < V; ++v) {
    const Vec start = bias == nullptr ? zero() : v + 1 < V ? load(bias + v * kLanes) : load(bias + v * kLanes, mask);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) sum[r][v] = start;
  }
  for (std::int64_t i = 0; i < k; ++i) {
    Vec row[V];
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) row[v] = MaskB && v + 1 == V ? load(b + v * kLanes, mask) : load(b + v * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const Vec x = broadcast(a + r * row_step);
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) sum[r][v] = fma(x, row[v], sum[r][v]);
    }
    a += k_step;
    b += ldb;
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
    float* out = c + r * ldc;
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) {
      float* to = out + v * kLanes;
      if (v + 1 < V)
        store(to, accumulate ? add(load(to), sum[r][v]) : sum[r][v]);
      else
        store(to, accumulate ? add(load(to, mask), sum[r][v]) : sum[r][v], mask);
    }
  }
}

using TileFunction = void (*)(const float*, std::int64_t, std::int64_t, const float*, std::int64_t, std::int64_t,
                              const float*, float*, std::int64_t, std::int64_t, bool);

template <bool MaskB, int V, int... R>
constexpr auto tiles_of_rows(std::integer_sequence<int, R...>) {
  return std::array<TileFunction, sizeof...(R)>{&tile<R + 1, V, MaskB>...};
}
template <bool MaskB, int... V>
constexpr auto tiles_of_vectors(std::integer_sequence<int, V...>) {
  return std::array<std::array<TileFunction, kRows>, sizeof...(V)>{
      tiles_of_rows<MaskB, V + 1>(std::make_integer_sequence<int, kRows>())...};
}
// kTiles[vectors - 1][rows - 1]
template <bool MaskB>
constexpr auto kTiles = tiles_of_vectors<MaskB>(std::make_integer_sequence<int, kVectors>());

// to[i * ld_to + l] = from[l * ld_from + i] for i, l < 8.
inline void transpose8(const float* from, std::int64_t ld_from, float* to, std::int64_t ld_to) {
  __m256 r[8], t[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) r[i] = _mm256_loadu_ps(from + i * ld_from);
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
    r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
    r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
    r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    _mm256_storeu_ps(to + i * ld_to, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
    _mm256_storeu_ps(to + (i + 4) * ld_to, _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
  }
}

inline std::int64_t packed_size(std::int64_t k, std::int64_t n) {
  return k * vectors_of(n) * kLanes;
}

inline void pack(const float* source, std::int64_t k, std::int64_t n, float* panels) {
  for (std::int64_t j = 0; j < n; j += kColumns) {
    const std::int64_t columns = std::min(kColumns, n - j), vectors = vectors_of(columns);
    const Mask mask = mask_of(columns - (vectors - 1) * kLanes);
    for (std::int64_t i = 0; i < k; ++i) {
      const float* from = source + i * n + j;
      for (std::int64_t v = 0; v + 1 < vectors; ++v, panels += kLanes) store(panels, load(from + v * kLanes));
      store(panels, load(from + (vectors - 1) * kLanes, mask));
      panels += kLanes;
    }
  }
}

inline void pack_transposed(const float* source, std::int64_t k, std::int64_t n, float* panels) {
  for (std::int64_t j = 0; j < n; j += kColumns) {
    const std::int64_t columns = std::min(kColumns, n - j), vectors = vectors_of(columns), ld = vectors * kLanes;
    for (std::int64_t v = 0; v < vectors; ++v) {
      const std::int64_t lanes = std::min<std::int64_t>(kLanes, columns - v * kLanes);
      const float* from = source + (j + v * kLanes) * k;
      float* to = panels + v * kLanes;
      std::int64_t i = 0;
      if (lanes == kLanes)
        for (; i + 8 <= k; i += 8)
          for (std::int64_t l = 0; l < kLanes; l += 8) transpose8(from + l * k + i, k, to + i * ld + l, ld);
      for (; i < k; ++i)
        for (std::int64_t l = 0; l < kLanes; ++l) to[i * ld + l] = l < lanes ? from[l * k + i] : 0.0f;
    }
    panels += k * ld;
  }
}

inline void multiply(const float* a, std::int64_t lda, std::int64_t m, std::int64_t k, const float* panels,
                     std::int64_t n, const float* bias, float* c, std::int64_t ldc, bool accumulate) {
  for (std::int64_t j = 0; j < n; j += kColumns) {
    const std::int64_t columns = std::min(kColumns, n - j), vectors = vectors_of(columns);
    const std::int64_t lanes = columns - (vectors - 1) * kLanes;
    const auto& tiles = kTiles<false>[static_cast<std::size_t>(vectors - 1)];
    for (std::int64_t i = 0; i < m; i += kRows)
      tiles[static_cast<std::size_t>(std::min<std::int64_t>(kRows, m - i) - 1)](
          a + i * lda, lda, 1, panels, vectors * kLanes, k, bias == nullptr ? nullptr : bias + j, c + i * ldc + j, ldc,
          lanes, accumulate);
    panels += k * vectors * kLanes;
  }
}

// Prefetches the cache lines of `columns` floats in rows begin..end.
inline void prefetch_rows(const float* x, std::int64_t ldx, std::int64_t begin, std::int64_t end,
                          std::int64_t columns) {
  for (std::int64_t row = begin; row < end; ++row)
    for (std::int64_t j = 0; j < columns; j += 16) __builtin_prefetch(x + row * ldx + j);
}

inline void outer(const float* a, std::int64_t lda, const float* b, std::int64_t ldb, std::int64_t m, std::int64_t p,
                  std::int64_t q, float* c) {
  const std::int64_t tiles_of_run = (p + kRows - 1) / kRows * ((q + kColumns - 1) / kColumns);
  for (std::int64_t first = 0; first < m; first += kOuterRows) {
    const std::int64_t rows = std::min(kOuterRows, m - first);
    // The rows of the next run are prefetched while this one is multiplied, a share with each tile.
    const std::int64_t next = first + rows, ahead = std::min(kOuterRows, m - next);
    std::int64_t done = 0;
    for (std::int64_t j = 0; j < q; j += kColumns) {
      const std::int64_t columns = std::min(kColumns, q - j), vectors = vectors_of(columns);
      const std::int64_t lanes = columns - (vectors - 1) * kLanes;
      const auto& tiles = kTiles<true>[static_cast<std::size_t>(vectors - 1)];
      for (std::int64_t i = 0; i < p; i += kRows, ++done) {
        const std::int64_t begin = next + ahead * done / tiles_of_run, end = next + ahead * (done + 1) / tiles_of_run;
        prefetch_rows(a, lda, begin, end, p);
        prefetch_rows(b, ldb, begin, end, q);
        tiles[static_cast<std::size_t>(std::min<std::int64_t>(kRows, p - i) - 1)](
            a + first * lda + i, 1, lda, b + first * ldb + j, ldb, rows, nullptr, c + i * q + j, q, lanes, first > 0);
      }
    }
  }
}
