#include "core/parallel/nccl_pair.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include <thread>
#include <tuple>

#include "core/base/text/error.h"

namespace pairs {

TORCH_LIBRARY_FRAGMENT(pairs, m) {
  // NCCL on the device of `on`. nccl_join and nccl_gather start an operation; nccl_done reports when it is complete.
  m.def("nccl_place(Tensor on) -> (str, str)");
  m.def("nccl_name(Tensor on) -> str");
  m.def("nccl_join(Tensor on, str name, int member, int size) -> int");
  m.def("nccl_gather(Tensor own, Tensor(a!) all, int pair) -> ()");
  m.def("nccl_done(Tensor on, int pair) -> bool");
  m.def("nccl_leave(Tensor on, int pair) -> ()");
}

namespace {

using torch::Tensor;

// How long a wait polls the device without a pause, and the time between two checks of the other member.
constexpr std::chrono::milliseconds kEager(2), kLook(10);

c10::OperatorHandle found(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
}

// If the module was built without NCCL's headers, there are no kernels.
bool built_in() {
  static const bool has = found("pairs::nccl_place").hasKernelForDispatchKey(c10::DispatchKey::CUDA);
  return has;
}

Tensor on_device(const torch::Device& device) {
  return at::empty({0}, torch::TensorOptions().device(device));
}

// Makes calls that NCCL may refuse.
template <class Work>
auto asked(const Work& work) {
  try {
    return work();
  } catch (const c10::Error& error) {
    fail("NCCL does not connect the ranks' GPUs: {}", error.what_without_backtrace());
  }
}

}  // namespace

NcclPlace nccl_place(const torch::Device& device) {
  if (!built_in()) return {device.str(), "the program was built without NCCL's headers"};
  static const auto op = found("pairs::nccl_place").typed<std::tuple<std::string, std::string>(const Tensor&)>();
  const auto [gpu, problem] = op.call(on_device(device));
  return {gpu, problem};
}

std::string NcclPair::new_name(const torch::Device& device) {
  static const auto op = found("pairs::nccl_name").typed<std::string(const Tensor&)>();
  return asked([&] { return op.call(on_device(device)); });
}

NcclPair::NcclPair(const torch::Device& device, const std::string& name, int member, int size,
                   const StillThere& still_there)
    : on_(on_device(device)), size_(size) {
  static const auto op =
      found("pairs::nccl_join").typed<std::int64_t(const Tensor&, c10::string_view, std::int64_t, std::int64_t)>();
  pair_ = asked([&] { return op.call(on_, name, member, size); });
  try {
    wait(still_there);
  } catch (...) {
    leave();
    throw;
  }
}

NcclPair::~NcclPair() {
  leave();
}

void NcclPair::leave() const {
  static const auto op = found("pairs::nccl_leave").typed<void(const Tensor&, std::int64_t)>();
  op.call(on_, pair_);
}

Tensor NcclPair::gather(const Tensor& own, const StillThere& still_there) {
  static const auto op = found("pairs::nccl_gather").typed<void(const Tensor&, Tensor&, std::int64_t)>();
  const Tensor mine = own.contiguous();
  Tensor all = at::empty({size_, mine.numel()}, mine.options());
  asked([&] { op.call(mine, all, pair_); });
  wait(still_there);
  return all;
}

void NcclPair::wait(const StillThere& still_there) const {
  static const auto op = found("pairs::nccl_done").typed<bool(const Tensor&, std::int64_t)>();
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  auto looked = begin;
  while (!asked([&] { return op.call(on_, pair_); })) {
    const auto now = Clock::now();
    if (now - looked > kLook) {
      looked = now;
      still_there();
    }
    if (now - begin < kEager)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

}  // namespace pairs
