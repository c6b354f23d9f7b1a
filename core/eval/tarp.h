#pragma once

#include <torch/types.h>

#include <cstdint>

namespace pairs {

// Tests of accuracy with random points (TARP, Lemos et al. 2023): the share of each posterior's samples [n, S, d] that
// lie closer to a reference point [n, d] than the truth [n, d] does, distances in units of `scale` [d] -> [n] in [0,
// 1], k / S. Uniform on 0, ..., S where the samples are of the exact posterior and the reference is chosen without the
// truth. Among samples as far off as the truth it takes a place at random from the stream (key, test). All float64 on
// the CPU; throws Error otherwise.
torch::Tensor distance_ranks(const torch::Tensor& samples, const torch::Tensor& truth, const torch::Tensor& reference,
                             const torch::Tensor& scale, std::uint64_t key);

}  // namespace pairs
