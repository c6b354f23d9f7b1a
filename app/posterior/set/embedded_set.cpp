#include "app/posterior/set/embedded_set.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/text/error.h"
#include "core/base/threads/one_thread.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

constexpr std::int64_t kMostStateNumbers = 1 << 21;  // of stored states: 16 MiB
constexpr double kBlockNumbers = 1 << 16;            // in all observations of a block
constexpr double kFewest = 4, kMostOfBlock = 256;    // observations

}  // namespace

std::int64_t embedding_block(const TaskInfo& info) {
  return static_cast<std::int64_t>(
      std::clamp(kBlockNumbers / std::max(info.observation_numbers(), 1.0), kFewest, kMostOfBlock));
}

std::int64_t embedding_block_end(const TaskInfo& info, std::int64_t n, std::int64_t size) {
  const std::int64_t block = embedding_block(info);
  return std::min((n + block - 1) / block * block, size);
}

torch::Tensor block_prefixes(Estimator& estimator, const Observations& block, torch::Tensor* embeddings) {
  const torch::NoGradGuard no_grad;
  const OneThread one_thread;  // the number of threads would change the rounding
  const torch::Tensor rows = estimator.embed(block.to(estimator.device())).to(torch::kCPU, torch::kFloat32);
  if (embeddings) *embeddings = rows.contiguous();
  return estimator.pool().prefixes(rows);
}

void fail_overflow(std::int64_t at, double value) {
  fail("The network overflows on observation {}, which holds a value of size {:.3g}; check its unit, or leave it out",
       count_text(at + 1), value);
}

EmbeddedSet::EmbeddedSet(std::shared_ptr<Estimator> estimator, std::int64_t size)
    : estimator_(std::move(estimator)), size_(size), block_(embedding_block(estimator_->task().info())) {
  PAIRS_CHECK(size >= 1, "A set holds at least one observation; {} were announced", size);
  const std::int64_t l = estimator_->embedding_size();
  if (size * l > kMostStateNumbers) {
    // At most `most` states, whole blocks apart.
    const std::int64_t most = std::max<std::int64_t>(kMostStateNumbers / l, 1), blocks = (size + block_ - 1) / block_;
    stride_ = block_ * ((blocks + most - 1) / most);
  }
  states_ = estimator_->pool().empty(size / stride_ + 1, l);
  total_ = estimator_->pool().empty(0, l);
}

std::int64_t EmbeddedSet::block_end(std::int64_t n) const {
  return embedding_block_end(estimator_->task().info(), n, size_);
}

void EmbeddedSet::add(const Observations& x, torch::Tensor* embeddings) {
  const torch::NoGradGuard no_grad;
  const std::int64_t until = count_ + x.count();
  PAIRS_CHECK(until <= size_, "A set of {} observations was given {}", size_, until);
  PAIRS_CHECK(until % block_ == 0 || until == size_, "A set is embedded {} observations at a time, not up to {}",
              block_, until);
  std::vector<torch::Tensor> blocks(static_cast<std::size_t>((x.count() + block_ - 1) / block_)), rows(blocks.size());
  const auto embed = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = first; k < last; ++k) {
      const auto at = static_cast<std::size_t>(k);
      blocks[at] = block_prefixes(*estimator_, x.slice(k * block_, std::min((k + 1) * block_, x.count())),
                                  embeddings ? &rows[at] : nullptr);
    }
  };
  if (estimator_->device().is_cpu())
    at::parallel_for(0, static_cast<std::int64_t>(blocks.size()), 1, embed);
  else
    embed(0, static_cast<std::int64_t>(blocks.size()));
  if (embeddings) *embeddings = torch::cat(rows);
  for (const torch::Tensor& prefixes : blocks) {
    const std::int64_t count = prefixes.size(0);
    if (overflow_ < 0)
      if (const torch::Tensor finite = prefixes.isfinite().all(1); !finite.all().item<bool>())
        overflow_ = count_ + (~finite).to(torch::kInt64).argmax().item<std::int64_t>();
    const torch::Tensor states = estimator_->pool().merge(prefixes, total_);
    count_ += count;
    total_ = states[count - 1].clone();
    if (stride_ == 1)
      states_.narrow(0, count_ - count + 1, count).copy_(states);
    else if (count_ % stride_ == 0)
      states_[count_ / stride_].copy_(total_);
  }
}

torch::Tensor EmbeddedSet::aggregate(std::int64_t n, const Observations& x) const {
  return aggregate(n, [&x](std::int64_t from, std::int64_t to) { return x.slice(from, to); });
}

torch::Tensor EmbeddedSet::aggregate(
    std::int64_t n, const std::function<Observations(std::int64_t from, std::int64_t to)>& part) const {
  PAIRS_CHECK(n >= 1 && n <= count_, "{} of {} observations are embedded; {} were asked for", count_, size_, n);
  const torch::NoGradGuard no_grad;
  if (overflow_ >= 0 && overflow_ < n) fail_overflow(overflow_, part(overflow_, overflow_ + 1).largest());
  const Pool& pool = estimator_->pool();
  if (n == count_) return pool.finish(total_, n).unsqueeze(0);
  torch::Tensor state = states_[n / stride_];
  for (std::int64_t from = n / stride_ * stride_; from < n; from += block_) {
    const std::int64_t within = std::min(n - from, block_);
    state = pool.merge(state, block_prefixes(*estimator_, part(from, block_end(from + within)))[within - 1]);
  }
  return pool.finish(state, n).unsqueeze(0);
}

}  // namespace pairs
