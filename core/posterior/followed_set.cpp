#include "core/posterior/followed_set.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/report/number_text.h"

namespace pairs {

FollowedSet::FollowedSet(std::shared_ptr<Estimator> estimator, std::int64_t most, std::uint64_t seed)
    : estimator_(std::move(estimator)), most_(most), key_(stream_key(seed, Purpose::order)) {
  PAIRS_CHECK(most_ >= 1, "A set must hold at least one observation");
  const std::int64_t l = estimator_->embedding_size();
  kept_ = torch::empty({std::min<std::int64_t>(most_, 1024), l}, torch::kFloat32);
  sum_ = torch::zeros({l}, torch::kFloat64);
}

void FollowedSet::add(const Observations& x) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor embeddings =
      estimator_->embed(x.to(estimator_->device())).to(torch::kCPU, torch::kFloat32).contiguous();
  const std::int64_t count = embeddings.size(0), l = embeddings.size(1);
  if (const torch::Tensor finite = embeddings.isfinite().all(1); !finite.all().item<bool>()) {
    const std::int64_t at = (~finite).to(torch::kInt64).argmax().item<std::int64_t>();
    fail("The network overflows on observation {}, which holds a value of size {:.3g}; check its unit, or leave it out",
         count_text(seen_ + at + 1), x.slice(at, at + 1).largest());
  }
  const auto* from = embeddings.const_data_ptr<float>();
  auto* sum = sum_.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < count; ++i, from += l) {
    std::int64_t place = seen_;
    if (seen_ >= most_) {
      place = static_cast<std::int64_t>(
          std::min(Stream(key_, static_cast<std::uint64_t>(seen_)).uniform64() * static_cast<double>(seen_ + 1),
                   static_cast<double>(seen_)));
    } else if (seen_ == kept_.size(0)) {
      kept_ = torch::cat({kept_, torch::empty({std::min(kept_.size(0), most_ - kept_.size(0)), l}, torch::kFloat32)});
    }
    ++seen_;
    if (place >= most_) continue;
    float* to = kept_.mutable_data_ptr<float>() + place * l;
    const bool replaces = seen_ > most_;
    for (std::int64_t k = 0; k < l; ++k) {
      sum[k] += static_cast<double>(from[k]) - (replaces ? static_cast<double>(to[k]) : 0);
      to[k] = from[k];
    }
  }
}

torch::Tensor FollowedSet::aggregate() const {
  PAIRS_CHECK(seen_ > 0, "There are no observations yet");
  return (sum_ / static_cast<double>(size())).unsqueeze(0);
}

}  // namespace pairs
