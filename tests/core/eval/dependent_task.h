#pragma once

#include <ATen/Functions.h>

#include <cmath>
#include <functional>
#include <memory>

#include "tests/core/train/toy_task.h"

namespace pairs {

// θ ~ U(0, 1), ψ given θ normal with any mean and sd, x ~ N(ψ, 1): the mean of N numbers is normal about the mean of ψ,
// with the variance of ψ and 1 / N, and sufficient.
class DependentTask : public ToyTask {
 public:
  using Curve = std::function<double(double)>;
  DependentTask(Curve mean, Curve sd) : ToyTask("dependent"), own_(ToyTask::info()), mean_(mean), sd_(sd) {
    own_.targets[0].low = 0;
    own_.targets[0].high = 1;
  }
  const TaskInfo& info() const override { return own_; }
  double mean_of(double theta) const { return mean_(theta); }
  double sd_of(double theta) const { return sd_(theta); }

  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    Latents out = ToyTask::latents(seed, purpose, indices);
    out.theta = at::special_ndtr(out.theta);
    const double* theta = out.theta.const_data_ptr<double>();
    double* psi = out.psi.mutable_data_ptr<double>();
    for (std::int64_t i = 0; i < out.psi.size(0); ++i) psi[i] = mean_(theta[i]) + sd_(theta[i]) * 2 * psi[i];
    return out;
  }
  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    const torch::Tensor psi = latents.psi.contiguous();
    std::vector<float> x;
    for (std::size_t k = 0; k < ranges.size(); ++k)
      for (std::int64_t j = 0; j < ranges[k].count; ++j) {
        Stream stream(stream_key(seed, purpose), static_cast<std::uint64_t>(ranges[k].index),
                      static_cast<std::uint64_t>(ranges[k].first + j));
        x.push_back(static_cast<float>(psi.const_data_ptr<double>()[k] + stream.normal64()));
      }
    return torch::tensor(x).unsqueeze(1).to(device);
  }
  std::vector<std::string> references() const override { return {"exact"}; }
  std::unique_ptr<ReferencePosterior> reference(const std::string&) const override {
    return std::make_unique<Exact>(*this);
  }
  // ln p(mean of n | θ) up to a constant.
  double log_likelihood(double theta, double mean, double n) const {
    const double variance = sd_(theta) * sd_(theta) + 1 / n, off = mean - mean_(theta);
    return -0.5 * (off * off / variance + std::log(variance));
  }

 private:
  class Exact : public ReferencePosterior {
   public:
    explicit Exact(const DependentTask& task) : task_(task) {}
    void add(const Observations& x) override {
      const torch::Tensor values = x.block().to(torch::kFloat64);
      sum_ += values.sum().item<double>();
      n_ += static_cast<double>(values.size(0));
    }
    torch::Tensor log_density(const torch::Tensor& theta) override {
      torch::Tensor out = at::empty({theta.size(0)}, torch::kFloat64);
      for (std::int64_t g = 0; g < theta.size(0); ++g)
        out.data_ptr<double>()[g] = task_.log_likelihood(theta[g][0].item<double>(), sum_ / n_, n_);
      return out;
    }
    torch::Tensor mean() override { return {}; }
    torch::Tensor covariance() override { return {}; }
    torch::Tensor sample(std::int64_t, Stream&) override { return {}; }

   private:
    const DependentTask& task_;
    double sum_ = 0, n_ = 0;
  };

  TaskInfo own_;
  Curve mean_, sd_;
};

}  // namespace pairs
