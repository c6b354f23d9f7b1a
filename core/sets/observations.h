#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace pairs {

// Packed observations: a block of M that all have the same shape (points, images), or M ragged ones, each a number of
// rows (atoms of a molecule, hits of an event), concatenated without padding. Cheap to copy: copies and slices share
// memory.
class Observations {
 public:
  Observations() = default;
  // A block x [M, ...observation shape].
  Observations(torch::Tensor block) : values_(std::move(block)) {}
  // Observation i is rows offsets[i] .. offsets[i + 1] - 1 of rows [R, columns], and may be empty; offsets [M + 1]
  // int64 ascend from 0 to R and are kept on the CPU. Throws Error otherwise.
  static Observations ragged(torch::Tensor rows, torch::Tensor offsets);
  // Concatenates blocks of one shape, or ragged rows of one width.
  static Observations concatenate(std::span<const Observations> parts);

  bool defined() const { return values_.defined(); }
  bool is_ragged() const { return offsets_.defined(); }
  // The number M of observations.
  std::int64_t count() const;
  // The total count of numbers held, which determines their cost.
  std::int64_t numbers() const { return defined() ? values_.numel() : 0; }

  // The largest absolute value; 0 if there are no numbers.
  double largest() const { return numbers() > 0 ? values_.abs().max().item<double>() : 0; }

  // Observations first .. last - 1.
  Observations slice(std::int64_t first, std::int64_t last) const;
  // The observations with these indices [K] int64, in that order; a copy.
  Observations pick(const torch::Tensor& which) const;
  // The end of a part that begins at `first` and holds at most `observations` observations and `numbers` numbers, but
  // at least one observation.
  std::int64_t part_end(std::int64_t first, std::int64_t observations, double numbers) const;

  torch::Device device() const { return values_.device(); }
  torch::ScalarType type() const { return values_.scalar_type(); }
  Observations to(const torch::Device& device) const;
  Observations to(const torch::Device& device, torch::ScalarType type) const;

  // The block [M, ...observation shape]. Throws Error if rows are ragged.
  const torch::Tensor& block() const;
  // Converts a block to its tensor, so that code for fixed shapes can take it directly.
  operator torch::Tensor() const { return block(); }
  // The rows [R, columns] and the offsets [M + 1] of ragged observations. Throw Error for a block.
  const torch::Tensor& rows() const;
  const torch::Tensor& offsets() const;

 private:
  Observations(torch::Tensor values, torch::Tensor offsets)
      : values_(std::move(values)), offsets_(std::move(offsets)) {}

  torch::Tensor values_, offsets_;
};

}  // namespace pairs
