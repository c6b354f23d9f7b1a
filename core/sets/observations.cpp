#include "core/sets/observations.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <numeric>

#include "core/base/text/error.h"

namespace pairs {

Observations Observations::ragged(torch::Tensor rows, torch::Tensor offsets) {
  PAIRS_CHECK(rows.defined() && rows.dim() == 2, "Ragged observations need rows [R, columns]");
  PAIRS_CHECK(offsets.defined() && offsets.dim() == 1 && offsets.size(0) >= 1 && offsets.scalar_type() == torch::kInt64,
              "Ragged observations need offsets [M + 1] of type int64");
  offsets = offsets.to(torch::kCPU).contiguous();
  const std::int64_t *at = offsets.const_data_ptr<std::int64_t>(), count = offsets.size(0) - 1;
  PAIRS_CHECK(at[0] == 0 && at[count] == rows.size(0),
              "The offsets of ragged observations run from 0 to their {} rows, not from {} to {}", rows.size(0), at[0],
              at[count]);
  for (std::int64_t i = 0; i < count; ++i)
    PAIRS_CHECK(at[i] <= at[i + 1], "Observation {} runs from row {} to {}: offsets must ascend", i, at[i], at[i + 1]);
  return {std::move(rows), std::move(offsets)};
}

Observations Observations::concatenate(std::span<const Observations> parts) {
  PAIRS_CHECK(!parts.empty(), "There are no observations to put one after another");
  std::vector<torch::Tensor> values, offsets;
  std::int64_t rows = 0;
  for (const Observations& part : parts) {
    PAIRS_CHECK(part.is_ragged() == parts.front().is_ragged(), "A block and ragged rows do not make one packed value");
    values.push_back(part.values_);
    if (!part.is_ragged()) continue;
    offsets.push_back((offsets.empty() ? part.offsets_ : part.offsets_.slice(0, 1)) + rows);
    rows += part.values_.size(0);
  }
  return {at::cat(values), offsets.empty() ? torch::Tensor() : at::cat(offsets)};
}

std::int64_t Observations::count() const {
  if (!defined()) return 0;
  return is_ragged() ? offsets_.size(0) - 1 : values_.size(0);
}

Observations Observations::pick(const torch::Tensor& which) const {
  if (!is_ragged()) return values_.index_select(0, which.to(values_.device()));
  const torch::Tensor chosen = which.to(torch::kCPU, torch::kInt64).contiguous();
  const std::int64_t count = chosen.size(0);
  torch::Tensor offsets = torch::zeros({count + 1}, torch::kInt64);
  const auto *from = offsets_.const_data_ptr<std::int64_t>(), *at = chosen.const_data_ptr<std::int64_t>();
  auto* to = offsets.mutable_data_ptr<std::int64_t>();
  for (std::int64_t k = 0; k < count; ++k) {
    PAIRS_CHECK(at[k] >= 0 && at[k] < this->count(), "There is no observation {} among {}", at[k], this->count());
    to[k + 1] = to[k] + from[at[k] + 1] - from[at[k]];
  }
  torch::Tensor rows = torch::empty({to[count]}, torch::kInt64);
  auto* row = rows.mutable_data_ptr<std::int64_t>();
  for (std::int64_t k = 0; k < count; ++k) std::iota(row + to[k], row + to[k + 1], from[at[k]]);
  return ragged(values_.index_select(0, rows.to(values_.device())), offsets);
}

Observations Observations::slice(std::int64_t first, std::int64_t last) const {
  PAIRS_CHECK(0 <= first && first <= last && last <= count(), "There are no observations {} to {} among {}", first,
              last - 1, count());
  if (!is_ragged()) return values_.slice(0, first, last);
  const std::int64_t* at = offsets_.const_data_ptr<std::int64_t>();
  return {values_.slice(0, at[first], at[last]), offsets_.slice(0, first, last + 1) - at[first]};
}

std::int64_t Observations::part_end(std::int64_t first, std::int64_t observations, double numbers) const {
  const std::int64_t all = count(), most = std::min(all, first + std::max<std::int64_t>(1, observations));
  if (!is_ragged()) {
    const double each = all > 0 ? static_cast<double>(this->numbers()) / static_cast<double>(all) : 0;
    const double fitting = each > 0 ? std::max(1.0, numbers / each) : static_cast<double>(all);
    return fitting < static_cast<double>(most - first) ? first + static_cast<std::int64_t>(fitting) : most;
  }
  const std::int64_t* at = offsets_.const_data_ptr<std::int64_t>();
  const double width = static_cast<double>(values_.size(1));
  std::int64_t end = std::min(first + 1, most);
  while (end < most && static_cast<double>(at[end + 1] - at[first]) * width <= numbers) ++end;
  return end;
}

Observations Observations::to(const torch::Device& device) const {
  return {values_.to(device), offsets_};
}

Observations Observations::to(const torch::Device& device, torch::ScalarType type) const {
  return {values_.to(device, type).contiguous(), offsets_};
}

const torch::Tensor& Observations::block() const {
  PAIRS_CHECK(!is_ragged(), "Observations of ragged rows are no block of one shape");
  return values_;
}

const torch::Tensor& Observations::rows() const {
  PAIRS_CHECK(is_ragged(), "Observations of one shape have no ragged rows");
  return values_;
}

const torch::Tensor& Observations::offsets() const {
  PAIRS_CHECK(is_ragged(), "Observations of one shape have no ragged rows");
  return offsets_;
}

}  // namespace pairs
