#include "core/nn/dropout.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include "core/base/numbers/random.h"

namespace pairs {

torch::Tensor dropout_mask(std::uint64_t key, std::int64_t first, std::int64_t rows, std::int64_t width, double rate) {
  torch::Tensor mask = at::empty({rows, width}, torch::kFloat);
  float* out = mask.mutable_data_ptr<float>();
  const auto kept = static_cast<float>(1 / (1 - rate)), dropped = static_cast<float>(rate);
  at::parallel_for(0, rows, 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      Stream stream(key, static_cast<std::uint64_t>(first + i));
      for (std::int64_t j = 0; j < width; ++j) out[i * width + j] = stream.uniform() < dropped ? 0.0f : kept;
    }
  });
  return mask;
}

}  // namespace pairs
