// The filter for one instruction set: continuous_filter_cpu.cpp includes this file once for each, inside a namespace
// that defines Vec, Mask, kLanes, kVectors, zero, broadcast, load, store, fma, mul and mask_of.

template <bool Masked>
inline Vec part(const float* p, Mask mask) {
  if constexpr (Masked)
    return load(p, mask);
  else
    return load(p);
}
template <bool Masked>
inline void put(float* p, Vec x, Mask mask) {
  if constexpr (Masked)
    store(p, x, mask);
  else
    store(p, x);
}

// W at one link's distance: the columns of V vectors.
template <int V, bool Masked>
inline void filter_at(const float* table, std::int64_t width, const FilterLinks& of, std::int64_t link, Mask mask,
                      Vec* w) {
  const float *row = table + of.cell[link] * width, *weight = of.weights + 4 * link;
  const Vec a = broadcast(weight), b = broadcast(weight + 1), c = broadcast(weight + 2), d = broadcast(weight + 3);
#pragma GCC unroll 8
  for (int v = 0; v < V; ++v) {
    const float* at = row + v * kLanes;
    w[v] = fma(d, part<Masked>(at + 3 * width, mask),
               fma(c, part<Masked>(at + 2 * width, mask),
                   fma(b, part<Masked>(at + width, mask), mul(a, part<Masked>(at, mask)))));
  }
}

// Adds filtered x to rows begin .. end - 1 (whole segments) of y, for V vectors of columns; with `transposed`, along
// links from receiver to sender.
template <int V, bool Masked>
inline void filter_columns(const float* x, const float* table, std::int64_t width, const FilterLinks& of,
                           std::int64_t begin, std::int64_t end, bool transposed, Mask mask, float* y) {
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int32_t* at = of.begin + 2 * i;
    Vec own[V], sum[V], w[V];
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) {
      own[v] = part<Masked>(x + i * width + v * kLanes, mask);
      sum[v] = part<Masked>(y + i * width + v * kLanes, mask);
    }
    // One value of the filter serves both directions.
    for (std::int64_t link = at[0]; link < at[1]; ++link) {
      const std::int64_t j = of.sender[link] * width;
      filter_at<V, Masked>(table, width, of, link, mask, w);
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) {
        sum[v] = fma(w[v], part<Masked>(x + j + v * kLanes, mask), sum[v]);
        float* to = y + j + v * kLanes;
        put<Masked>(to, fma(w[v], own[v], part<Masked>(to, mask)), mask);
      }
    }
    for (std::int64_t link = at[1]; link < at[2]; ++link) {
      const std::int64_t j = of.sender[link] * width;
      filter_at<V, Masked>(table, width, of, link, mask, w);
      if (transposed) {
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) {
          float* to = y + j + v * kLanes;
          put<Masked>(to, fma(w[v], own[v], part<Masked>(to, mask)), mask);
        }
      } else {
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) sum[v] = fma(w[v], part<Masked>(x + j + v * kLanes, mask), sum[v]);
      }
    }
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) put<Masked>(y + i * width + v * kLanes, sum[v], mask);
  }
}

// Computes rows first .. last - 1 of the table's gradient, and three more that the next cells add to.
template <int V, bool Masked>
inline void table_columns(const float* grad, const float* x, std::int64_t width, const FilterCells& of,
                          std::int64_t first, std::int64_t last, Mask mask, float* out, float* after) {
  Vec sum[4][V];
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k)
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) sum[k][v] = zero();
  for (std::int64_t cell = first; cell < last; ++cell) {
    for (std::int64_t k = of.begin[cell]; k < of.begin[cell + 1]; ++k) {
      const std::int64_t i = of.receiver[k] * width;
      const bool both = of.sender[k] < 0;
      const std::int64_t j = (both ? ~of.sender[k] : of.sender[k]) * width;
      const float* weight = of.weights + 4 * k;
      const Vec a = broadcast(weight), b = broadcast(weight + 1), c = broadcast(weight + 2), d = broadcast(weight + 3);
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) {
        const std::int64_t s = v * kLanes;
        Vec p = mul(part<Masked>(grad + i + s, mask), part<Masked>(x + j + s, mask));
        if (both) p = fma(part<Masked>(grad + j + s, mask), part<Masked>(x + i + s, mask), p);
        sum[0][v] = fma(a, p, sum[0][v]);
        sum[1][v] = fma(b, p, sum[1][v]);
        sum[2][v] = fma(c, p, sum[2][v]);
        sum[3][v] = fma(d, p, sum[3][v]);
      }
    }
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) {
      put<Masked>(out + cell * width + v * kLanes, sum[0][v], mask);
      sum[0][v] = sum[1][v];
      sum[1][v] = sum[2][v];
      sum[2][v] = sum[3][v];
      sum[3][v] = zero();
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < 3; ++k)
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) put<Masked>(after + k * width + v * kLanes, sum[k][v], mask);
}

// Calls work(column, number of vectors as a constant, whether the last is masked, mask) for all columns.
template <class Work>
inline void each_columns(std::int64_t width, const Work& work) {
  std::int64_t column = 0;
  const Mask all = mask_of(kLanes);
  for (; column + kVectors * kLanes <= width; column += kVectors * kLanes)
    work(column, std::integral_constant<int, kVectors>(), std::false_type(), all);
  for (; column + kLanes <= width; column += kLanes)
    work(column, std::integral_constant<int, 1>(), std::false_type(), all);
  if (column < width) work(column, std::integral_constant<int, 1>(), std::true_type(), mask_of(width - column));
}

void filter(const float* x, const float* table, std::int64_t width, const FilterLinks& of, std::int64_t begin,
            std::int64_t end, bool transposed, float* y) {
  each_columns(width, [&](std::int64_t column, auto vectors, auto masked, Mask mask) {
    filter_columns<decltype(vectors)::value, decltype(masked)::value>(x + column, table + column, width, of, begin, end,
                                                                      transposed, mask, y + column);
  });
}

void table_gradient(const float* grad, const float* x, std::int64_t width, const FilterCells& of, std::int64_t first,
                    std::int64_t last, float* out, float* after) {
  each_columns(width, [&](std::int64_t column, auto vectors, auto masked, Mask mask) {
    table_columns<decltype(vectors)::value, decltype(masked)::value>(grad + column, x + column, width, of, first, last,
                                                                     mask, out + column, after + column);
  });
}
