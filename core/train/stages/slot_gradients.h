#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/train/settings/source.h"
#include "core/train/settings/stages.h"

namespace pairs {

// Computes a batch's gradients as a sum over its slots, equal parts of the batch by index, in a fixed order (SlotSum):
// the result is the same bit for bit whether one rank computes all slots or several compute an aligned part each and
// exchange their partial sums in pairs. Random numbers of a slot's loss are keyed by (step, slot).
class SlotGradients {
 public:
  // Computes gradients of these parameters; 0 slots: the batch as a whole. The monitor's ranks share the slots; the
  // monitor must outlive this. Throws a usage error unless slots are a power of two that the number of ranks divides.
  SlotGradients(const std::map<std::string, torch::Tensor>& parameters, std::int64_t slots, Monitor& monitor);

  // Adds the gradients of the loss of these rows of a batch to the parameters', which have none, and returns their mean
  // loss, detached. Its random numbers are a pure function of `key`.
  using OfRows = std::function<torch::Tensor(const RowRange& rows, std::uint64_t key)>;

  // Sets the parameters' gradients to those of the mean loss of a batch of `rows` sets, and returns that loss. If ranks
  // share the slots, all of them know afterwards whether one was asked to stop. Throws Error if the batch has fewer
  // sets than slots.
  torch::Tensor gradients(std::int64_t rows, std::uint64_t key, const OfRows& of_rows);

 private:
  torch::Tensor take_gradients(double weight);
  void give_gradients(const torch::Tensor& flat);

  std::vector<torch::Tensor> parameters_;
  std::vector<bool> moved_;  // the parameters that the loss depends on
  std::int64_t slots_, first_, last_;
  Monitor& monitor_;
};

// The key of a slot's random numbers in a step.
std::uint64_t slot_key(std::uint64_t step_key, std::int64_t slot);

}  // namespace pairs
