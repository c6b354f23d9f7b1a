#include "app/posterior/follow/followed_set.h"

#include <algorithm>

#include "app/posterior/set/embedded_set.h"
#include "core/base/numbers/random.h"
#include "core/base/text/error.h"

namespace pairs {

FollowedSet::FollowedSet(std::shared_ptr<Estimator> estimator, std::int64_t most, std::uint64_t seed)
    : estimator_(std::move(estimator)),
      most_(most),
      block_(embedding_block(estimator_->task().info())),
      key_(stream_key(seed, Purpose::order)) {
  PAIRS_CHECK(most_ >= 1, "A set must hold at least one observation");
  const std::int64_t l = estimator_->embedding_size();
  kept_ = torch::empty({std::min<std::int64_t>(most_, 1024), l}, torch::kFloat32);
  state_ = estimator_->pool().empty(0, l);
}

void FollowedSet::add(const Observations& x) {
  const torch::NoGradGuard no_grad;
  const std::int64_t room = std::min(x.count(), most_ - std::min(seen_, most_));
  if (room > 0) fill(x.slice(0, room));
  if (room < x.count()) replace(x.slice(room, x.count()));
}

torch::Tensor FollowedSet::embed(const Observations& x, std::int64_t first, torch::Tensor& embeddings) const {
  const torch::Tensor prefixes = block_prefixes(*estimator_, x, &embeddings);
  if (const torch::Tensor finite = prefixes.isfinite().all(1); !finite.all().item<bool>()) {
    const std::int64_t at = (~finite).to(torch::kInt64).argmax().item<std::int64_t>();
    fail_overflow(first + at, x.slice(at, at + 1).largest());
  }
  return prefixes[prefixes.size(0) - 1];
}

void FollowedSet::keep(const torch::Tensor& embeddings, const torch::Tensor& state) {
  const std::int64_t count = embeddings.size(0);
  while (kept_count_ + count > kept_.size(0))
    kept_ = torch::cat(
        {kept_, torch::empty({std::min(kept_.size(0), most_ - kept_.size(0)), kept_.size(1)}, torch::kFloat32)});
  kept_.narrow(0, kept_count_, count).copy_(embeddings);
  kept_count_ += count;
  state_ = estimator_->pool().merge(state, state_);
}

void FollowedSet::fill(const Observations& x) {
  const Observations both[] = {open_, x};
  Observations open = open_.defined() && open_.count() > 0 ? Observations::concatenate(both) : x;
  torch::Tensor embeddings;
  seen_ += x.count();
  while (open.count() >= block_) {
    const torch::Tensor state = embed(open.slice(0, block_), kept_count_, embeddings);
    keep(embeddings, state);
    open = open.slice(block_, open.count());
  }
  open_state_ = torch::Tensor();
  if (open.count() > 0) open_state_ = embed(open, kept_count_, embeddings);
  open_ = open;
  if (seen_ < most_ || open.count() == 0) return;
  keep(embeddings, open_state_);
  open_state_ = torch::Tensor();
  open_ = Observations();
}

void FollowedSet::replace(const Observations& x) {
  torch::Tensor embeddings;
  embed(x, seen_, embeddings);
  const std::int64_t count = embeddings.size(0), l = embeddings.size(1);
  const auto* from = embeddings.const_data_ptr<float>();
  auto* state = state_.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < count; ++i, from += l) {
    const auto place = static_cast<std::int64_t>(
        std::min(Stream(key_, static_cast<std::uint64_t>(seen_)).uniform64() * static_cast<double>(seen_ + 1),
                 static_cast<double>(seen_)));
    ++seen_;
    if (place >= most_) continue;
    float* to = kept_.mutable_data_ptr<float>() + place * l;
    estimator_->pool().exchange(state, from, to, l);
    std::copy_n(from, l, to);
  }
}

torch::Tensor FollowedSet::aggregate() const {
  PAIRS_CHECK(seen_ > 0, "There are no observations yet");
  const Pool& pool = estimator_->pool();
  const torch::Tensor state = open_state_.defined() ? pool.merge(open_state_, state_) : state_;
  return pool.finish(state, size()).unsqueeze(0);
}

}  // namespace pairs
