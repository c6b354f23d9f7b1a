#include "core/train/stages/slot_gradients.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "core/parallel/ranks.h"
#include "core/parallel/slot_sum.h"

namespace pairs {
namespace {

// The float64 loss appended to float32 gradients, as the bytes of two more of them.
torch::Tensor packed(const torch::Tensor& gradients, const torch::Tensor& loss) {
  return at::cat({gradients, loss.reshape({1}).view(torch::kFloat32)});
}
torch::Tensor packed_loss(const torch::Tensor& row) {
  return row.slice(0, row.numel() - 2).clone().view(torch::kFloat64).reshape({});
}

}  // namespace

std::uint64_t slot_key(std::uint64_t step_key, std::int64_t slot) {
  Stream stream(step_key, static_cast<std::uint64_t>(slot), 0);
  return stream.bits64();
}

SlotGradients::SlotGradients(const std::map<std::string, torch::Tensor>& parameters, std::int64_t slots,
                             Monitor& monitor)
    : slots_(slots), first_(0), last_(slots), monitor_(monitor) {
  for (const auto& [name, tensor] : parameters) parameters_.push_back(tensor);
  if (const Ranks* ranks = monitor_.ranks()) {
    if (slots_ == 0)
      fail_usage("A batch without {} cannot be shared by {} ranks; start a run with --set slots=8", "slots"_key,
                 ranks->size());
    if (slots_ % ranks->size() != 0)
      fail_usage("{} = {} cannot be shared by {} ranks; take a number of ranks that divides it", "slots"_key, slots_,
                 ranks->size());
    const std::int64_t each = slots_ / ranks->size();
    first_ = ranks->rank() * each;
    last_ = first_ + each;
  }
}

torch::Tensor SlotGradients::take_gradients(double weight) {
  std::vector<torch::Tensor> parts;
  moved_.clear();
  for (torch::Tensor& parameter : parameters_) {
    torch::Tensor& gradient = parameter.mutable_grad();
    moved_.push_back(gradient.defined());
    if (gradient.defined()) parts.push_back(gradient.reshape({-1}));
    gradient.reset();
  }
  return at::cat(parts).mul_(weight);
}

void SlotGradients::give_gradients(const torch::Tensor& flat) {
  std::int64_t at = 0;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!moved_[i]) continue;
    const std::int64_t count = parameters_[i].numel();
    parameters_[i].mutable_grad() = flat.slice(0, at, at + count).view(parameters_[i].sizes());
    at += count;
  }
}

torch::Tensor SlotGradients::gradients(std::int64_t rows, std::uint64_t key, const OfRows& of_rows) {
  if (slots_ == 0) return of_rows({}, key);
  PAIRS_CHECK(rows >= slots_,
              "A batch of {} sets has none for some of its {} slots; lower \"slots\" or raise the batch", rows, slots_);
  SlotSum gradients, losses;
  for (std::int64_t slot = first_; slot < last_; ++slot) {
    const RowRange mine{slot * rows / slots_, (slot + 1) * rows / slots_};
    const double weight = static_cast<double>(mine.last - mine.first) / static_cast<double>(rows);
    const torch::Tensor loss = of_rows(mine, slot_key(key, slot));
    at::NoGradGuard no_grad;
    gradients.add(take_gradients(weight));
    losses.add(loss.to(torch::kFloat64) * weight);
  }
  at::NoGradGuard no_grad;
  torch::Tensor gradient = gradients.total(), loss = losses.total();
  if (Ranks* ranks = monitor_.ranks()) {
    // Each round adds a branch of the tree to its neighbor, on both ranks of a pair.
    for (int round = 0; round < ranks->rounds(); ++round) {
      const torch::Tensor both = ranks->gather_pair(round, packed(gradient, loss), monitor_.wants_stop());
      gradient = both[0].slice(0, 0, gradient.numel()).add(both[1].slice(0, 0, gradient.numel()));
      loss = packed_loss(both[0]).add(packed_loss(both[1]));
    }
  }
  give_gradients(gradient);
  return loss;
}

}  // namespace pairs
