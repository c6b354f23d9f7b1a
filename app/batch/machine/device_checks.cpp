#include <ATen/Functions.h>

#include "app/batch/parts/checks.h"
#include "app/kinds/observation_room.h"
#include "core/base/gpu/devices.h"
#include "core/base/numbers/random.h"
#include "core/ops/ops.h"

namespace pairs::batch {
namespace {

torch::Tensor values(at::IntArrayRef shape, std::uint64_t index) {
  const torch::Tensor out = torch::empty(shape, torch::kFloat32);
  Stream stream(stream_key(2, Purpose::check), index);
  for (float* p = out.data_ptr<float>(); p != out.data_ptr<float>() + out.numel(); ++p)
    *p = static_cast<float>(stream.normal64());
  return out;
}

double largest_difference(const torch::Tensor& cuda, const torch::Tensor& cpu) {
  return (cuda.to(torch::kCPU).to(torch::kFloat64) - cpu.to(torch::kFloat64)).abs().max().item<double>();
}

double cuda_linear() {
  const torch::Tensor x = values({300, 40}, 1), w = values({50, 40}, 2), b = values({50}, 3);
  return largest_difference(ops::linear_act(x.cuda(), w.cuda(), b.cuda(), "silu"), ops::linear_act(x, w, b, "silu"));
}

double cuda_set_means() {
  const torch::Tensor x = values({1000, 8}, 4), offsets = torch::tensor({0, 1, 3, 400, 1000}, torch::kInt64);
  return largest_difference(ops::segment_mean(x.cuda(), offsets.cuda()), ops::segment_mean(x, offsets));
}

double cuda_spline() {
  const torch::Tensor y = at::linspace(0.0005, 0.9995, 2000), params = values({2000, 33}, 5);
  return largest_difference(std::get<0>(ops::quadratic_spline(y.cuda(), params.cuda(), 16, false)),
                            std::get<0>(ops::quadratic_spline(y, params, 16, false)));
}

// A task's observations are equal on all devices within the tolerance of their kind.
double observations(const TaskCatalog& tasks, const std::string& name) {
  const auto task = tasks.make(name);
  const std::int64_t indices[] = {0, 5};
  const SetRange ranges[] = {{0, 0, 20}, {5, 3, 20}};
  const Latents latents = task->latents(1, Purpose::check, indices);
  return room_of(task->info())
      .difference(task->observe(latents, 1, Purpose::check, ranges, torch::kCUDA),
                  task->observe(latents, 1, Purpose::check, ranges, torch::kCPU));
}

}  // namespace

std::vector<Check> device_checks(const Catalog& tasks) {
  std::string reason = "no CUDA device";
  for (const DeviceInfo& device : list_devices()) {
    if (device.name.rfind("cuda", 0) != 0) continue;
    reason = device.reason;
    if (device.usable) break;
  }
  std::vector<Check> checks = {
      {"CUDA: linear + SiLU against the CPU", 2e-4, cuda_linear, reason},
      {"CUDA: set means against the CPU", 1e-5, cuda_set_means, reason},
      {"CUDA: spline against the CPU", 1e-5, cuda_spline, reason},
  };
  for (const std::string& name : tasks->names())
    checks.push_back({"CUDA: observations of " + name + " against the CPU", 1e-3,
                      [tasks, name] { return observations(*tasks, name); }, reason});
  return checks;
}

}  // namespace pairs::batch
