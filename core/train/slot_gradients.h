#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/train/source.h"
#include "core/train/stages.h"

namespace pairs {

// Gradients of a batch as a sum over its slots, equal parts of it by index, in one fixed order (SlotSum): the same to
// the bit whether one rank computes all slots or several compute an aligned part each and exchange their branches, two
// by two. What a slot's loss draws is keyed by (step, slot).
class SlotGradients {
 public:
  // Of these parameters; no slots: the batch as a whole. The monitor's ranks share the slots; it must outlive this.
  // Throws a usage error where they cannot: slots are a power of two that the number of ranks divides.
  SlotGradients(const std::map<std::string, torch::Tensor>& parameters, std::int64_t slots, Monitor& monitor);

  // Adds the gradients of the loss of these rows of a batch to the parameters', which have none, and returns their
  // mean loss, detached. What it draws is a pure function of `key`.
  using OfRows = std::function<torch::Tensor(const RowRange& rows, std::uint64_t key)>;

  // Sets the parameters' gradients to those of the mean loss of a batch of `rows` sets, and returns that loss.
  // Where ranks share the slots, all of them know afterwards whether one of them was asked to stop. Throws Error where
  // the batch has fewer sets than slots.
  torch::Tensor gradients(std::int64_t rows, std::uint64_t key, const OfRows& of_rows);

 private:
  torch::Tensor take_gradients(double weight);
  void give_gradients(const torch::Tensor& flat);

  std::vector<torch::Tensor> parameters_;
  std::vector<bool> moved_;  // which of them the loss depends on
  std::int64_t slots_, first_, last_;
  Monitor& monitor_;
};

// Key of what a slot draws in a step.
std::uint64_t slot_key(std::uint64_t step_key, std::int64_t slot);

}  // namespace pairs
