#pragma once

#include <torch/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pairs {

// AdamW (Loshchilov and Hutter 2019) with decoupled weight decay, bias correction and clipping of the gradient by its
// global norm, in one pass over all parameters. Parameters are contiguous, of one type and on one device. Float32 on
// the CPU uses a kernel of our own, whose result does not depend on the number of threads; everything else uses
// at::_fused_adamw_.
class AdamW {
 public:
  struct Options {
    double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
    double weight_decay = 0.01;
    double clip = 0;  // largest norm of the gradient; 0: no limit
  };

  AdamW(std::vector<torch::Tensor> parameters, const Options& options);
  // Optimizes named parameters, in the order of their names.
  AdamW(const std::map<std::string, torch::Tensor>& parameters, const Options& options);

  // Updates the parameters that have a gradient, at learning rate `lr`. Returns the norm of the whole gradient before
  // clipping, summed in float64; if it is not finite, nothing changes.
  double step(double lr);
  // Takes a step without waiting for the device: returns the norm [] float64 on it. From the first step with a norm or
  // `loss` (a scalar on the device) that is not finite, nothing changes any more.
  torch::Tensor step_unread(double lr, const torch::Tensor& loss);
  // Drops the gradients, so that the next backward pass need not add to them.
  void zero_grad();

  // The moments "first0", "second0", "first1", ... in the order of the parameters (the tensors themselves, not copies)
  // and the number of steps taken, "steps" [1] int64.
  std::map<std::string, torch::Tensor> state() const;
  // Restores the result of state() bit for bit. Throws Error if a tensor is missing or does not fit; then nothing
  // changes.
  void load(const std::map<std::string, torch::Tensor>& state);

 private:
  void step_kernel(double lr, double scale);
  void prepare(double lr);
  void step_aten(double lr, const torch::Tensor& scale, const std::optional<torch::Tensor>& skip);
  double gradient_norm() const;
  torch::Tensor gradient_norm_unread() const;

  std::vector<torch::Tensor> parameters_, first_, second_;
  Options options_;
  std::int64_t steps_ = 0;
  bool kernel_ = false;
  torch::Tensor ended_;  // [] float32 on the device: 1 once step_unread met a value that is not finite
};

}  // namespace pairs
