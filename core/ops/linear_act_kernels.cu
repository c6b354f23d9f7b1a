#include <algorithm>

#include "core/ops/linear_act_kernels.h"

namespace pairs::ops::kernels {
inline namespace linear_act_device {

constexpr int kThreads = 256;

template <class S>
__global__ void silu_kernel(S* value, S* slope, std::int64_t count) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    const S x = value[i], s = S(1) / (S(1) + exp(-x)), y = x * s;
    value[i] = y;
    if (slope != nullptr) slope[i] = s + y * (S(1) - s);
  }
}

}  // namespace linear_act_device

template <class S>
void silu(S* value, S* slope, std::int64_t count, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>((count + kThreads - 1) / kThreads, 65535));
  silu_kernel<S><<<blocks, kThreads, 0, stream>>>(value, slope, count);
}

template void silu(float*, float*, std::int64_t, cudaStream_t);
template void silu(double*, double*, std::int64_t, cudaStream_t);

}  // namespace pairs::ops::kernels
