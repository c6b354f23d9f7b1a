#include "tasks/bump_hunt/bump_hunt.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/gpu/transfer.h"
#include "core/base/numbers/fast_normal.h"
#include "core/base/text/error.h"
#include "core/joint_posterior.h"
#include "core/nuisance_posterior.h"
#include "core/null_value.h"
#include "core/prior_density.h"
#include "core/target_choice.h"
#include "tasks/bump_hunt/joint_posterior.h"
#include "tasks/bump_hunt/nuisance.h"
#include "tasks/bump_hunt/posterior.h"
#include "tasks/parts/rows.h"

namespace pairs {
namespace {

class BumpHunt final : public Task,
                       public InfersNuisances,
                       public HasJointPosterior,
                       public HasPriorDensity,
                       public HasNullValue,
                       public ChoosesTargets {
 public:
  BumpHunt() {
    info_.name = "bump-hunt";
    info_.title = "Bump hunt";
    info_.summary = "How much of the data is a narrow signal whose place is unknown, on top of a broad background.";
    info_.theta_text = "θ is the fraction of signal events; every value between 0 and 1 is equally likely beforehand.";
    info_.psi_text = "ψ is the place of the signal, shared by all events of a set, with prior N(1, 2²).";
    info_.x_text = "Each x is one event: signal N(ψ, 0.1²) with probability θ, else background N(0, 1).";
    info_.targets = {{"theta", "θ", "", 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, "signal fraction"}};
    info_.nuisances = {{"psi", "ψ", "", bump_hunt::psi_mean - 2.5 * bump_hunt::psi_sd,
                        bump_hunt::psi_mean + 2.5 * bump_hunt::psi_sd, 0, "bump position"}};
    info_.question = {"Which signal fraction θ lies behind this event? The bump position ψ is unknown, too.",
                      "Which signal fraction θ do these {} events share? Their bump position ψ is unknown, too."};
    info_.max_n = 100;
    info_.kind = ObservationKind::points;
    info_.observation_shape = {1};
    info_.observation_columns = {"x"};
    info_.data_source = "simulated";
  }

  const TaskInfo& info() const override { return info_; }
  NullValue null_value() const override { return {0.0, 1.0, "no signal"}; }

  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    return draw_latents(info_, seed, purpose, indices, [](Stream& stream, double* theta, double* psi) {
      theta[0] = stream.uniform64();
      psi[0] = bump_hunt::psi_mean + bump_hunt::psi_sd * stream.normal64();
    });
  }

  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    const std::uint64_t key = stream_key(seed, purpose);
    const Rows rows(ranges, latents, info_);
    const double* theta = latents.theta.const_data_ptr<double>();
    const double* psi = latents.psi.const_data_ptr<double>();
    torch::Tensor out = at::empty({rows.total(), 1}, torch::kFloat32);
    float* x = out.mutable_data_ptr<float>();
    rows.blocks([&](const ItemCounters& items, std::int64_t row, std::int64_t stop) {
      float choice[ItemCounters::capacity];
      fill_normal_uniform(key, items, x + row, choice);
      rows.pieces(row, stop, [&](std::size_t k, std::int64_t, std::int64_t count, std::int64_t at) {
        const auto fraction = static_cast<float>(theta[k]), place = static_cast<float>(psi[k]);
        const auto width = static_cast<float>(bump_hunt::signal_sd);
        float* p = x + at;
        const float* u = choice + (at - row);
        for (std::int64_t i = 0; i < count; ++i) {
          const float signal = place + width * p[i];
          p[i] = u[i] < fraction ? signal : p[i];
        }
      });
    });
    return send(out, device);
  }

  torch::Tensor density(const Latents& latents, const Observations& observed) const override {
    const torch::Tensor& x = observed.block();
    const double theta = latents.theta.item<double>(), psi = latents.psi.item<double>();
    const auto normal = [](const torch::Tensor& z, double sd) {
      return (-0.5 * (z / sd).square()).exp() / (sd * std::sqrt(2 * std::numbers::pi));
    };
    const torch::Tensor at = x.flatten().to(torch::kFloat64);
    return theta * normal(at - psi, bump_hunt::signal_sd) + (1 - theta) * normal(at, bump_hunt::background_sd);
  }

  std::vector<std::string> references() const override { return {"exact", "naive product", "per-event classifier"}; }

  std::unique_ptr<ReferencePosterior> reference(const std::string& name) const override {
    using bump_hunt::Likelihood;
    if (name == "exact") return bump_hunt::make_posterior(Likelihood::exact);
    if (name == "naive product") return bump_hunt::make_posterior(Likelihood::naive);
    if (name == "per-event classifier") return bump_hunt::make_posterior(Likelihood::per_event);
    return Task::reference(name);
  }

  std::unique_ptr<NuisancePosterior> nuisance_posterior(const Observations& x) const override {
    return bump_hunt::make_nuisance_posterior(x);
  }

  std::unique_ptr<JointPosterior> joint_posterior(const Observations& x) const override {
    return bump_hunt::make_joint_posterior(x.block());
  }

  torch::Tensor log_prior(const torch::Tensor& theta) const override { return uniform_log_prior(info_, theta); }

  // A sample from the prior of ψ exceeds these bounds once in 10¹⁵.
  std::vector<std::optional<NuisanceTarget>> nuisance_targets() const override {
    using namespace bump_hunt;
    constexpr double reach = 8 * psi_sd, central95 = 2 * 1.96 * psi_sd;
    return {NuisanceTarget{psi_mean - reach, psi_mean + reach, psi_mean, psi_sd, central95}};
  }

  std::unique_ptr<ReferencePosterior> exact_posterior_of(std::span<const Component> chosen) const override {
    bump_hunt::Choice choice{false, false};
    for (const Component& one : chosen) (one.nuisance ? choice.psi : choice.theta) = true;
    return bump_hunt::make_posterior_of(choice);
  }

  torch::Tensor log_prior_of(std::span<const Component> chosen, const torch::Tensor& values) const override {
    torch::Tensor out = at::zeros({values.size(0)}, torch::kFloat64);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const torch::Tensor column = values.narrow(1, static_cast<std::int64_t>(k), 1);
      if (!chosen[k].nuisance) {
        out += uniform_log_prior(info_, column);
        continue;
      }
      const torch::Tensor z = (column.flatten() - bump_hunt::psi_mean) / bump_hunt::psi_sd;
      out -= 0.5 * z.square() + std::log(bump_hunt::psi_sd * std::sqrt(2 * std::numbers::pi));
    }
    return out;
  }

 private:
  TaskInfo info_;
};

}  // namespace

std::shared_ptr<const Task> make_bump_hunt() {
  return std::make_shared<BumpHunt>();
}

}  // namespace pairs
