#pragma once

#include <torch/types.h>

#include <cstdint>

namespace pairs {

// Tests of accuracy with random points (TARP, Lemos et al. 2023): the share of each posterior's samples [n, S, d] that
// lie closer to a reference point [n, d] than the truth [n, d] does, with distances in units of `scale` [d] -> [n] in
// [0, 1], k / S. It is uniform on 0, ..., S if the samples come from the exact posterior and the reference does not
// depend on the truth. If samples are as far off as the truth, its place among them is random from the stream (key,
// test). All float64 on the CPU; throws Error otherwise.
torch::Tensor distance_ranks(const torch::Tensor& samples, const torch::Tensor& truth, const torch::Tensor& reference,
                             const torch::Tensor& scale, std::uint64_t key);

}  // namespace pairs
