#include "app/model/hub/n_player.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pairs::model {
namespace {

constexpr double kPlaySeconds = 8, kLongestTick = 0.1;

// The step between round numbers above n.
std::int64_t step_at(std::int64_t n) {
  std::int64_t step = 1;
  while (n / step >= 100) step *= 10;
  return step;
}

}  // namespace

void NPlayer::set_range(std::int64_t most, std::vector<std::int64_t> sizes) {
  known_ = true;
  most_ = most;
  sizes_ = std::move(sizes);
  std::sort(sizes_.begin(), sizes_.end());
  if (most_ < 1) playing_ = false;
}

std::int64_t NPlayer::n() const {
  if (!known_) return wanted_;
  const std::int64_t n = std::clamp<std::int64_t>(wanted_, std::min<std::int64_t>(most_, 1), most_);
  if (sizes_.empty() || n == 0) return n;
  const auto distance = [&](std::int64_t size) {
    return std::abs(std::log(static_cast<double>(size) / static_cast<double>(n)));
  };
  std::int64_t best = 0;
  for (const std::int64_t size : sizes_)
    if (size <= most_ && (best == 0 || distance(size) < distance(best))) best = size;
  return best;
}

void NPlayer::want(std::int64_t n) {
  wanted_ = std::max<std::int64_t>(n, 1);
}

void NPlayer::set(std::int64_t n) {
  playing_ = false;
  want(n);
}

void NPlayer::step(int steps) {
  std::int64_t to = n();
  for (int k = 0; k < std::abs(steps); ++k) to = steps > 0 ? next(to) : last(to);
  set(known_ ? std::min(to, std::max<std::int64_t>(most_, 1)) : to);
}

std::int64_t NPlayer::next(std::int64_t n) const {
  if (!sizes_.empty()) {
    const auto above = std::upper_bound(sizes_.begin(), sizes_.end(), n);
    return above == sizes_.end() ? n : *above;
  }
  const std::int64_t step = step_at(n);
  return (n / step + 1) * step;
}

std::int64_t NPlayer::last(std::int64_t n) const {
  if (!sizes_.empty()) {
    const auto at = std::lower_bound(sizes_.begin(), sizes_.end(), n);
    return at == sizes_.begin() ? n : *(at - 1);
  }
  const std::int64_t step = step_at(n - 1);
  return ((n + step - 1) / step - 1) * step;
}

double NPlayer::place_of(std::int64_t n) const {
  return std::log(static_cast<double>(n)) / std::log(static_cast<double>(most_));
}

void NPlayer::toggle() {
  playing_ = !playing_ && most_ >= 2;
  if (!playing_) return;
  clock_.restart();
  place_ = n() >= most_ ? 0 : place_of(std::max<std::int64_t>(n(), 1));
}

void NPlayer::advance(double seconds, bool ready) {
  if (!playing_ || most_ < 2 || !ready) return;
  place_ += seconds / kPlaySeconds;
  if (place_ >= 1 && loop_) place_ = 0;
  if (place_ >= 1) {
    place_ = 1;
    playing_ = false;
  }
  want(std::llround(std::exp(place_ * std::log(static_cast<double>(most_)))));
}

void NPlayer::tick(bool ready) {
  if (!playing_) return;
  advance(std::min(clock_.seconds(), kLongestTick), ready);
  clock_.restart();
}

}  // namespace pairs::model
