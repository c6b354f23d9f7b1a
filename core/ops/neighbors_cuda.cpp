#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>
#include <torch/types.h>

#include "core/ops/neighbors_kernels.h"

// Offsets are not checked here, because that would wait for the device: rows outside the array are never read. The only
// wait is for the total number of neighbors.
namespace pairs::ops {
namespace {

using torch::Tensor;

std::tuple<Tensor, Tensor, Tensor> find_neighbors(const Tensor& places, const Tensor& offsets, double cutoff,
                                                  std::int64_t most) {
  const c10::cuda::CUDAGuard guard(places.device());
  const kernels::Places of{places.const_data_ptr<double>(), offsets.const_data_ptr<std::int64_t>(), places.size(0),
                           offsets.size(0) - 1};
  const auto stream = c10::cuda::getCurrentCUDAStream();
  Tensor start = at::zeros({of.rows + 1}, offsets.options());
  const auto like = [&](std::int64_t count, torch::ScalarType type) {
    return at::empty({count}, places.options().dtype(type));
  };
  if (of.rows == 0 || of.segments == 0) return {start, like(0, torch::kInt), like(0, torch::kDouble)};
  Tensor counts = start.slice(0, 1);
  kernels::count_neighbors(of, cutoff * cutoff, most, counts.mutable_data_ptr<std::int64_t>(), stream);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  start = start.cumsum(0);
  const std::int64_t total = start[of.rows].item<std::int64_t>();
  Tensor index = like(total, torch::kInt), distance = like(total, torch::kDouble);
  kernels::list_neighbors(of, cutoff * cutoff, most, start.const_data_ptr<std::int64_t>(),
                          index.mutable_data_ptr<std::int32_t>(), distance.mutable_data_ptr<double>(), stream);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return {start, index, distance};
}

}  // namespace

TORCH_LIBRARY_IMPL(pairs, CUDA, m) {
  m.impl("neighbors", find_neighbors);
}

}  // namespace pairs::ops
