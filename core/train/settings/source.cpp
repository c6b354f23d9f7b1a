#include "core/train/settings/source.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/sets/index_map.h"
#include "core/sets/permutation.h"
#include "core/target_model.h"

namespace pairs {

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
  Stream stream(stream_key(seed, Purpose::sizes), batch, index_map::kOrderItem);
  for (std::size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[stream.below(i)]);
  return out;
}

torch::Tensor rotated(const torch::Tensor& x, const std::vector<std::int64_t>& rotations) {
  PAIRS_CHECK(x.dim() == 4 && x.size(2) == x.size(3) && x.size(0) == static_cast<std::int64_t>(rotations.size()),
              "{} quarter turns do not fit images of [{}]", rotations.size(), fmt::join(x.sizes(), ", "));
  torch::Tensor out = x.clone();
  for (std::int64_t quarters = 1; quarters < 4; ++quarters) {
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < rotations.size(); ++i)
      if (rotations[i] == quarters) rows.push_back(static_cast<std::int64_t>(i));
    if (rows.empty()) continue;
    const torch::Tensor at = send(torch::tensor(rows, torch::kInt64), x.device());
    out.index_copy_(0, at, at::rot90(x.index_select(0, at), quarters, {2, 3}));
  }
  return out;
}

SetSource::SetSource(std::shared_ptr<const Task> task, std::uint64_t seed, std::vector<std::int64_t> sizes,
                     std::int64_t sets, std::int64_t validation_sets, bool rotate, std::vector<Lesson> lessons)
    : task_(std::move(task)), seed_(seed), sizes_(std::move(sizes)), rotate_(rotate), lessons_(std::move(lessons)) {
  PAIRS_CHECK(!sizes_.empty(), "A source of sets needs at least one set size");
  if (sets > 0) {
    validation_ = std::max<std::int64_t>(1, sets / 5);
    training_ = sets - validation_;
    PAIRS_CHECK(training_ >= 1, "{} set is too few: one trains and one validates", sets);
  } else {
    validation_ = validation_sets;
  }
}

std::vector<SetPart> parts(const SetBatch& batch, std::int64_t at_once) {
  PAIRS_CHECK(at_once >= 1, "A part holds one observation or more, not {}", at_once);
  std::vector<SetPart> out;
  std::int64_t made = 0;
  for (std::size_t row = 0; row < batch.sets.size(); ++row) {
    const SetRange& set = batch.sets[row];
    for (std::int64_t at = 0; at < set.count;) {
      if (out.empty() || out.back().count == at_once) {
        out.emplace_back();
        out.back().first = made;
      }
      SetPart& part = out.back();
      const std::int64_t take = std::min(set.count - at, at_once - part.count);
      part.ranges.push_back({set.index, set.first + at, take});
      part.rows.push_back(static_cast<std::int64_t>(row));
      part.count += take;
      made += take;
      at += take;
    }
  }
  return out;
}

namespace {

// The images of some ranges, where range k belongs to the batch's set rows[k] (null: to set k), rotated as the batch
// specifies.
Observations turn_images(const SetBatch& batch, const Observations& x, const std::vector<SetRange>& ranges,
                         const std::vector<std::int64_t>* rows = nullptr) {
  if (batch.rotations.empty()) return x;
  std::vector<std::int64_t> rotations;
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    const std::size_t set = rows ? static_cast<std::size_t>((*rows)[k]) : k;
    rotations.insert(rotations.end(), static_cast<std::size_t>(ranges[k].count), batch.rotations[set]);
  }
  return rotated(x.block(), rotations);
}

// The elements of some rows; empty if there are none.
std::vector<std::int64_t> picked(const std::vector<std::int64_t>& all, const RowRange& rows) {
  const auto end = [&](std::int64_t row) { return all.begin() + std::min(row, static_cast<std::int64_t>(all.size())); };
  return {end(rows.first), end(rows.last)};
}

}  // namespace

SetBatch SetSource::make(std::int64_t epoch, Purpose purpose, const std::vector<std::int64_t>& indices,
                         const std::vector<std::int64_t>& sizes, std::vector<std::int64_t> rotations,
                         const torch::Device& device, std::int64_t at_once) const {
  SetBatch batch;
  batch.task = lesson(epoch) ? lesson(epoch)->task : task_;
  batch.purpose = purpose;
  batch.rotations = std::move(rotations);
  batch.device = device;
  batch.latents = batch.task->latents(seed_, batch.purpose, indices);
  batch.theta = batch.latents.theta;
  batch.given = batch.latents.given;
  batch.sets.resize(indices.size());
  torch::Tensor offsets = torch::empty({static_cast<std::int64_t>(indices.size()) + 1}, torch::kInt64);
  std::int64_t* offset = offsets.data_ptr<std::int64_t>();
  offset[0] = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    batch.sets[i] = {indices[i], 0, sizes[i]};
    offset[i + 1] = offset[i] + sizes[i];
  }
  batch.observations = offset[indices.size()];
  if (batch.observations <= at_once)
    batch.x =
        turn_images(batch, batch.task->observe(batch.latents, seed_, batch.purpose, batch.sets, device), batch.sets);
  batch.n = torch::tensor(sizes, torch::kInt64);
  batch.offsets = send(offsets, device);
  return batch;
}

Observations SetSource::observe(const SetBatch& batch, const SetPart& part) const {
  const Latents latents =
      latents_to_observe(batch.task->info(), batch.latents, torch::tensor(part.rows, torch::kInt64));
  return turn_images(batch, batch.task->observe(latents, seed_, batch.purpose, part.ranges, batch.device), part.ranges,
                     &part.rows);
}

std::int64_t SetSource::visited(std::int64_t visit) const {
  const auto pass = static_cast<std::uint64_t>(visit / training_);
  return static_cast<std::int64_t>(permuted(stream_key(seed_ ^ (pass << 20), Purpose::order),
                                            static_cast<std::uint64_t>(training_),
                                            static_cast<std::uint64_t>(visit % training_)));
}

SetBatch SetSource::training(std::int64_t epoch, std::int64_t position, std::int64_t count, std::int64_t epoch_sets,
                             const torch::Device& device, std::int64_t at_once, const RowRange& rows) const {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t visit = epoch * epoch_sets + position + i;
    indices[static_cast<std::size_t>(i)] = training_ > 0 ? visited(visit) : visit;
  }
  const auto batch = static_cast<std::uint64_t>((epoch * epoch_sets + position) / count);
  std::vector<std::int64_t> rotations;
  if (rotate_) {
    Stream stream(stream_key(seed_, Purpose::sizes), batch, index_map::kTurnItem);
    for (std::int64_t i = 0; i < count; ++i) rotations.push_back(static_cast<std::int64_t>(stream.below(4)));
  }
  return make(epoch, Purpose::pretrain, picked(indices, rows),
              picked(stratified_sizes(sizes_, count, seed_, batch), rows), picked(rotations, rows), device, at_once);
}

SetBatch SetSource::validation(std::int64_t first, std::int64_t count, const torch::Device& device,
                               std::int64_t at_once, std::int64_t epoch) const {
  count = std::min(count, validation_ - first);
  std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) indices[static_cast<std::size_t>(i)] = first + i;
  return make(epoch, Purpose::pretrain_validation, indices,
              stratified_sizes(sizes_, count, seed_, index_map::kValidationBatches + static_cast<std::uint64_t>(first)),
              {}, device, at_once);
}

SetBatch SetSource::timed(std::int64_t first, std::int64_t count, const torch::Device& device) const {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) indices[static_cast<std::size_t>(i)] = first + i;
  return make(kAll, Purpose::check, indices, stratified_sizes(sizes_, count, seed_, 0), {}, device, kAll);
}

}  // namespace pairs
