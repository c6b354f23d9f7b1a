#include "core/train/source.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/train/permutation.h"

namespace pairs {
namespace {

constexpr std::int64_t kUnlimitedValidation = std::int64_t{1} << 46;
constexpr std::uint64_t kValidationBatches = std::uint64_t{1} << 47;

}  // namespace

std::vector<std::int64_t> stratified_sizes(const std::vector<std::int64_t>& sizes, std::int64_t count,
                                           std::uint64_t seed, std::uint64_t batch) {
  const auto kinds = static_cast<std::int64_t>(sizes.size());
  const std::int64_t rest = count % kinds;
  std::vector<std::int64_t> out;
  out.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count - rest; ++i) out.push_back(sizes[static_cast<std::size_t>(i % kinds)]);
  for (std::int64_t r = 0; r < rest; ++r) {
    const auto rotated = (batch * static_cast<std::uint64_t>(rest) + static_cast<std::uint64_t>(r)) % sizes.size();
    out.push_back(sizes[rotated]);
  }
  Stream stream(stream_key(seed, Purpose::sizes), batch);
  for (std::size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[stream.below(i)]);
  return out;
}

SetSource::SetSource(std::shared_ptr<const Task> task, std::uint64_t seed, std::vector<std::int64_t> sizes,
                     std::int64_t budget, std::int64_t validation_sets)
    : task_(std::move(task)), seed_(seed), sizes_(std::move(sizes)) {
  PAIRS_CHECK(!sizes_.empty(), "A source of sets needs at least one set size");
  if (budget > 0) {
    const std::int64_t total = budget / *std::max_element(sizes_.begin(), sizes_.end());
    validation_ = std::max<std::int64_t>(1, total / 5);
    training_ = total - validation_;
    PAIRS_CHECK(training_ >= 1, "A budget of {} observations is too small for sets of {}", budget,
                *std::max_element(sizes_.begin(), sizes_.end()));
    validation_base_ = training_;
  } else {
    validation_ = validation_sets;
    validation_base_ = kUnlimitedValidation;
  }
}

SetBatch SetSource::make(const std::vector<std::int64_t>& indices, const std::vector<std::int64_t>& sizes,
                         const torch::Device& device) const {
  const Latents latents = task_->latents(seed_, Purpose::pretrain, indices);
  std::vector<SetRange> ranges(indices.size());
  torch::Tensor offsets = torch::empty({static_cast<std::int64_t>(indices.size()) + 1}, torch::kInt64);
  std::int64_t* offset = offsets.data_ptr<std::int64_t>();
  offset[0] = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    ranges[i] = {indices[i], 0, sizes[i]};
    offset[i + 1] = offset[i] + sizes[i];
  }
  SetBatch batch;
  batch.theta = latents.theta;
  batch.given = latents.given;
  batch.x = task_->observe(latents, seed_, Purpose::pretrain, ranges, device);
  batch.n = torch::tensor(sizes, torch::kInt64).to(device);
  batch.offsets = offsets.to(device);
  return batch;
}

SetBatch SetSource::training(std::int64_t epoch, std::int64_t position, std::int64_t count, std::int64_t epoch_sets,
                             const torch::Device& device) const {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
  const std::uint64_t order = stream_key(seed_ ^ (static_cast<std::uint64_t>(epoch) << 20), Purpose::order);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t visit = position + i;
    indices[static_cast<std::size_t>(i)] =
        training_ > 0 ? static_cast<std::int64_t>(permuted(order, static_cast<std::uint64_t>(training_),
                                                           static_cast<std::uint64_t>(visit % training_)))
                      : epoch * epoch_sets + visit;
  }
  const auto batch = static_cast<std::uint64_t>((epoch * epoch_sets + position) / count);
  return make(indices, stratified_sizes(sizes_, count, seed_, batch), device);
}

SetBatch SetSource::validation(std::int64_t first, std::int64_t count, const torch::Device& device) const {
  count = std::min(count, validation_ - first);
  std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) indices[static_cast<std::size_t>(i)] = validation_base_ + first + i;
  return make(indices, stratified_sizes(sizes_, count, seed_, kValidationBatches + static_cast<std::uint64_t>(first)),
              device);
}

}  // namespace pairs
