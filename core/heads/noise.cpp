#include "core/heads/noise.h"

#include <ATen/Parallel.h>

#include "core/base/numbers/fast_normal.h"
#include "core/base/numbers/random.h"

namespace pairs {

torch::Tensor uniform_noise(std::uint64_t key, std::int64_t rows, std::int64_t count, std::int64_t d,
                            const torch::Tensor& like) {
  torch::Tensor noise = torch::empty({rows, count, d}, torch::kFloat);
  float* out = noise.mutable_data_ptr<float>();
  at::parallel_for(0, rows * count, 1024, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      Stream stream(key, static_cast<std::uint64_t>(i / count), static_cast<std::uint64_t>(i % count));
      // Centered in its cell: never 0 or 1.
      for (std::int64_t j = 0; j < d; ++j) out[i * d + j] = stream.uniform() + 0x1p-25f;
    }
  });
  return noise.to(like.options());
}

torch::Tensor normal_noise(std::uint64_t key, std::int64_t rows, std::int64_t count, std::int64_t d,
                           const torch::Tensor& like) {
  torch::Tensor noise = torch::empty({rows, count, d}, torch::kFloat);
  float* out = noise.mutable_data_ptr<float>();
  constexpr std::int64_t kChunk = 1024;
  const std::int64_t chunks = (count + kChunk - 1) / kChunk;
  at::parallel_for(0, rows * chunks, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t row = i / chunks, first = i % chunks * kChunk, size = std::min(kChunk, count - first);
      fill_normals(key, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(first), size, d,
                   out + (row * count + first) * d);
    }
  });
  return noise.to(like.options());
}

torch::Tensor standard_normal_log(const torch::Tensor& z) {
  constexpr double kHalfLog2Pi = 0.91893853320467274178;
  return (z * z).sum(-1) * -0.5 - kHalfLog2Pi * static_cast<double>(z.size(-1));
}

}  // namespace pairs
