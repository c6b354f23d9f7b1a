#include "core/likelihood/likelihood_task.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "core/input_scale.h"
#include "core/stored_sets.h"

namespace pairs {
namespace {

using torch::Tensor;

// Observations that are drawn at once, whether or not all are asked for: those of a set depend on no other.
constexpr std::int64_t kBlock = 64;

class LikelihoodTask final : public Task {
 public:
  LikelihoodTask(std::shared_ptr<const LearnedLikelihood> likelihood, std::shared_ptr<const Task> stored)
      : likelihood_(std::move(likelihood)), stored_(std::move(stored)) {
    PAIRS_CHECK(stored_->stored() != nullptr, "The sets of {} are not stored", stored_->info().name);
    const std::int64_t sets = stored_->stored()->sets(Purpose::pretrain, 1);
    const SetDemand demand{Purpose::pretrain, 0, sets, sets, 1, "sets of the likelihood"};
    served_ = stored_->stored()->serving({&demand, 1});
    sets_ = sets;
  }

  const TaskInfo& info() const override { return stored_->info(); }

  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    std::vector<std::int64_t> chosen;
    for (const std::int64_t index : indices) {
      Stream stream(stream_key(seed, purpose), static_cast<std::uint64_t>(index), kPlaces);
      chosen.push_back(static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(sets_))));
    }
    return served_->latents(seed, Purpose::pretrain, chosen);
  }

  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    const Tensor z = likelihood_->space().coordinates(at::cat({latents.theta, latents.psi}, 1));
    std::vector<Tensor> parts;
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      const auto row = static_cast<std::int64_t>(k);
      const Tensor given = latents.given.defined() ? latents.given.slice(0, row, row + 1) : Tensor();
      const std::int64_t end = ranges[k].first + ranges[k].count;
      for (std::int64_t block = ranges[k].first / kBlock; block * kBlock < end; ++block) {
        Stream stream(stream_key(seed, purpose), static_cast<std::uint64_t>(ranges[k].index),
                      static_cast<std::uint64_t>(block));
        const Tensor x =
            likelihood_->simulate(z.slice(0, row, row + 1).expand({kBlock, z.size(1)}), given, stream.bits64());
        parts.push_back(x.slice(0, std::max<std::int64_t>(ranges[k].first - block * kBlock, 0),
                                std::min(kBlock, end - block * kBlock)));
      }
    }
    std::vector<std::int64_t> shape = {-1};
    shape.insert(shape.end(), info().observation_shape.begin(), info().observation_shape.end());
    const Tensor all = at::cat(parts).view(shape);
    return (standardizes_input(*stored_) ? all : all.to(torch::kFloat32)).to(device);
  }

 private:
  static constexpr std::uint64_t kPlaces = (std::uint64_t{1} << 47) - 1;  // the block of the draws of parameters

  std::shared_ptr<const LearnedLikelihood> likelihood_;
  std::shared_ptr<const Task> stored_, served_;
  std::int64_t sets_ = 0;
};

}  // namespace

std::shared_ptr<const Task> simulated_by(std::shared_ptr<const LearnedLikelihood> likelihood,
                                         std::shared_ptr<const Task> stored) {
  return std::make_shared<LikelihoodTask>(std::move(likelihood), std::move(stored));
}

}  // namespace pairs
