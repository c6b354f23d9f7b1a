#pragma once

#include <atomic>
#include <limits>

#include "core/base/text/error.h"
#include "core/estimator.h"

namespace pairs {

// Things of which each has a θ and a few observations for good: a set is about one thing, and its observations are
// drawn from those. Parts of `things` for every purpose.
class ToyPoolTask : public Task {
 public:
  static constexpr std::int64_t items = 12, each = 5;

  ToyPoolTask() {
    constexpr double inf = std::numeric_limits<double>::infinity();
    info_.name = "toy-pool";
    info_.title = "Toy pool";
    info_.targets = {{"theta", "θ", "", -inf, inf, 0.0, 1.0, 1.0, -4, 4}};
    info_.nuisances = {{"thing", "thing"}};
    info_.max_n = 20;
    info_.kind = ObservationKind::points;
    info_.observation_shape = {1};
    info_.observation_columns = {"x"};
    info_.data_source = "simulated";
    info_.subject = "thing";
    info_.subjects = "things";
    info_.pool = 2 * items * each;
  }
  const TaskInfo& info() const override { return info_; }

  void prepare(const Preparation& preparation) const override {
    for (; prepared < 10; ++prepared) {
      if (preparation.stop && preparation.stop()) throw Stopped();
      if (preparation.progress) preparation.progress("things", prepared + 1, 10);
    }
  }
  std::int64_t subjects(Purpose) const override { return items; }

  Latents latents(std::uint64_t, Purpose purpose, std::span<const std::int64_t> indices) const override {
    const auto n = static_cast<std::int64_t>(indices.size());
    Latents out{torch::empty({n, 1}, torch::kFloat64), torch::empty({n, 1}, torch::kFloat64)};
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t item = indices[static_cast<std::size_t>(i)] * 7 % items;
      out.psi.data_ptr<double>()[i] = static_cast<double>(item);
      out.theta.data_ptr<double>()[i] = value(purpose, item);
    }
    return out;
  }

  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    observed += count_of(ranges);
    return members(purpose, pool_draws(latents, seed, purpose, ranges).member).to(device);
  }
  PoolDraws pool_draws(const Latents& latents, std::uint64_t seed, Purpose purpose,
                       std::span<const SetRange> ranges) const override {
    PoolDraws draws;
    draws.member = torch::empty({count_of(ranges)}, torch::kInt64);
    std::int64_t at = 0;
    for (std::size_t k = 0; k < ranges.size(); ++k)
      for (std::int64_t j = 0; j < ranges[k].count; ++j) {
        Stream stream(stream_key(seed, purpose), static_cast<std::uint64_t>(ranges[k].index),
                      static_cast<std::uint64_t>(ranges[k].first + j));
        const auto item = static_cast<std::int64_t>(latents.psi[static_cast<std::int64_t>(k)][0].item<double>());
        draws.member[at++] = item * each + static_cast<std::int64_t>(stream.below(each));
      }
    draws.stratum = draws.member.div(each, "floor");
    draws.size = purpose == Purpose::finetune || purpose == Purpose::finetune_validation ? items * each : 0;
    return draws;
  }
  std::int64_t pool_size(Purpose purpose) const override {
    return pooled && (purpose == Purpose::finetune || purpose == Purpose::finetune_validation) ? items * each : 0;
  }
  Observations pool_members(Purpose purpose, std::int64_t first, std::int64_t count,
                            const torch::Device& device) const override {
    given += count;
    return members(purpose, torch::arange(first, first + count)).to(device);
  }

  bool pooled = true;
  mutable std::atomic<std::int64_t> observed{0}, given{0}, prepared{0};

 private:
  static std::int64_t count_of(std::span<const SetRange> ranges) {
    std::int64_t total = 0;
    for (const SetRange& range : ranges) total += range.count;
    return total;
  }
  static double value(Purpose purpose, std::int64_t item) {
    return Stream(stream_key(3, purpose), static_cast<std::uint64_t>(item)).normal64();
  }
  static torch::Tensor members(Purpose purpose, const torch::Tensor& which) {
    torch::Tensor x = torch::empty({which.numel(), 1});
    for (std::int64_t i = 0; i < which.numel(); ++i) {
      const auto member = which[i].item<std::int64_t>();
      Stream stream(stream_key(4, purpose), static_cast<std::uint64_t>(member));
      x[i][0] = value(purpose, member / each) + 0.5 * stream.normal64();
    }
    return x;
  }

  TaskInfo info_;
};

}  // namespace pairs
