#include "tasks/own/program/program_reference.h"

#include <optional>
#include <utility>
#include <vector>

#include "core/base/text/error.h"
#include "core/given.h"
#include "core/grid_density.h"

namespace pairs::own {
namespace {

class ProgramReference final : public ReferencePosterior, public KnowsGiven {
 public:
  ProgramReference(std::shared_ptr<Simulator> program, std::vector<Target> targets)
      : program_(std::move(program)), targets_(std::move(targets)) {}

  void know(const torch::Tensor& given) override { given_ = given; }
  void add(const Observations& x) override {
    parts_.push_back(x.to(torch::kCPU, torch::kFloat64));
    density_.reset();
  }
  torch::Tensor log_density(const torch::Tensor& theta) override {
    return program_->task().reference->normalized ? asked(theta) : density().log_density(theta);
  }
  torch::Tensor mean() override { return density().mean(); }
  torch::Tensor covariance() override { return density().covariance(); }
  torch::Tensor sample(std::int64_t count, Stream& stream) override { return density().sample(count, stream); }

 private:
  torch::Tensor asked(const torch::Tensor& theta) {
    if (parts_.size() > 1) parts_ = {Observations::concatenate(parts_)};
    PAIRS_CHECK(!parts_.empty(), "A reference posterior needs an observation at least");
    return program_->reference(theta, given_, parts_.front());
  }
  const GridDensity& density() {
    if (!density_)
      density_.emplace(
          targets_, [this](const torch::Tensor& theta) { return asked(theta); },
          "The reference posterior of " + program_->task().info.name);
    return *density_;
  }

  std::shared_ptr<Simulator> program_;
  std::vector<Target> targets_;
  torch::Tensor given_;
  std::vector<Observations> parts_;
  std::optional<GridDensity> density_;  // over all parts; none: not computed yet
};

}  // namespace

std::unique_ptr<ReferencePosterior> program_reference(std::shared_ptr<Simulator> program, std::vector<Target> targets) {
  return std::make_unique<ProgramReference>(std::move(program), std::move(targets));
}

}  // namespace pairs::own
