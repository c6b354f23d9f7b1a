#include "core/posterior/embedded_set.h"

#include "core/base/error.h"

namespace pairs {
namespace {

constexpr std::int64_t kMostNumbers = 1 << 21;  // of the sums that are kept: 16 MiB

}  // namespace

EmbeddedSet::EmbeddedSet(std::shared_ptr<Estimator> estimator, std::int64_t size)
    : estimator_(std::move(estimator)), size_(size) {
  PAIRS_CHECK(size >= 1, "A set holds at least one observation; {} were announced", size);
  const std::int64_t l = estimator_->embedding_size();
  while (size / stride_ * l > kMostNumbers && stride_ < 64) stride_ *= 2;
  sums_ = torch::zeros({size / stride_ + 1, l}, torch::kFloat64);
  total_ = torch::zeros({l}, torch::kFloat64);
}

torch::Tensor EmbeddedSet::embed(const Observations& x) const {
  return estimator_->embed(x.to(estimator_->device())).to(torch::kCPU, torch::kFloat64);
}

void EmbeddedSet::add(const Observations& x) {
  torch::NoGradGuard no_grad;
  PAIRS_CHECK(count_ + x.count() <= size_, "A set of {} observations was given {}", size_, count_ + x.count());
  if (x.count() == 0) return;
  const torch::Tensor sums = embed(x).cumsum(0) + total_;  // [M, l]
  // Sums at whole strides: the first one lies `skip` rows on.
  const std::int64_t first = count_ / stride_ + 1, skip = first * stride_ - count_ - 1;
  if (skip < x.count()) {
    const torch::Tensor kept = sums.slice(0, skip, x.count(), stride_);
    sums_.narrow(0, first, kept.size(0)).copy_(kept);
  }
  total_ = sums[x.count() - 1].clone();
  count_ += x.count();
}

torch::Tensor EmbeddedSet::aggregate(std::int64_t n, const Observations& x) const {
  PAIRS_CHECK(n >= 1 && n <= count_, "{} of {} observations are embedded; {} were asked for", count_, size_, n);
  torch::NoGradGuard no_grad;
  const std::int64_t whole = n / stride_;
  torch::Tensor sum = sums_[whole];
  if (whole * stride_ < n) sum = sum + embed(x.slice(whole * stride_, n)).sum(0);
  return (sum / static_cast<double>(n)).unsqueeze(0);
}

}  // namespace pairs
