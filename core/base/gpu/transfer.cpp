#include "core/base/gpu/transfer.h"

#include <ATen/Functions.h>

namespace pairs {

torch::Tensor send(const torch::Tensor& tensor, const torch::Device& device) {
  if (!device.is_cuda() || !tensor.is_cpu()) return tensor.to(device);
  return tensor.contiguous().pin_memory().to(device, /*non_blocking=*/true);
}

std::vector<double> doubles(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.to(torch::kCPU, torch::kFloat64).contiguous();
  return {flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel()};
}

void append_doubles(std::vector<double>& out, const torch::Tensor& tensor) {
  const std::vector<double> more = doubles(tensor);
  out.insert(out.end(), more.begin(), more.end());
}

}  // namespace pairs
