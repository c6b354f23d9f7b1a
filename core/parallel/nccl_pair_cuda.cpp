// NCCL (libnccl.so.2) for core/parallel/nccl_pair.h. It comes with LibTorch's CUDA libraries and is opened on first
// use, so that a LibTorch without it also works.
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>
#include <dlfcn.h>
#include <nccl.h>
#include <torch/library.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

namespace pairs {
namespace {

using torch::Tensor;

// The first version with communicators that can be polled instead of waited for.
constexpr int kOldest = 21400;

struct Nccl {
  decltype(&ncclGetVersion) version = nullptr;
  decltype(&ncclGetUniqueId) unique_id = nullptr;
  decltype(&ncclCommInitRankConfig) join = nullptr;
  decltype(&ncclCommGetAsyncError) state = nullptr;
  decltype(&ncclAllGather) all_gather = nullptr;
  decltype(&ncclCommAbort) abort = nullptr;
  decltype(&ncclGetErrorString) words = nullptr;
  std::string problem;
};

Nccl opened() {
  Nccl nccl;
  void* const library = ::dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    nccl.problem = "libnccl.so.2 is not there";
    return nccl;
  }
  bool all = true;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(::dlsym(library, name));
    all = all && function != nullptr;
  };
  find(nccl.version, "ncclGetVersion");
  find(nccl.unique_id, "ncclGetUniqueId");
  find(nccl.join, "ncclCommInitRankConfig");
  find(nccl.state, "ncclCommGetAsyncError");
  find(nccl.all_gather, "ncclAllGather");
  find(nccl.abort, "ncclCommAbort");
  find(nccl.words, "ncclGetErrorString");
  int version = 0;
  if (!all || nccl.version(&version) != ncclSuccess || version < kOldest)
    nccl.problem = "libnccl.so.2 is older than 2.14";
  return nccl;
}

const Nccl& nccl() {
  static const Nccl once = opened();
  return once;
}

void check(ncclResult_t result) {
  TORCH_CHECK(result == ncclSuccess || result == ncclInProgress, nccl().words(result));
}

// A communicator and its last operation.
struct Pair {
  explicit Pair(c10::DeviceIndex device) : stream(c10::cuda::getStreamFromPool(/*isHighPriority=*/true, device)) {}
  ~Pair() {
    if (comm != nullptr) nccl().abort(comm);
  }

  ncclComm_t comm = nullptr;
  c10::cuda::CUDAStream stream;
  std::array<Tensor, 2> traveling;  // until the operation is complete
  std::optional<at::cuda::CUDAEvent> arrived;
};

Pair& pair_of(std::int64_t pair) {
  return *reinterpret_cast<Pair*>(pair);
}

std::tuple<std::string, std::string> place(const Tensor& on) {
  const cudaDeviceProp* const gpu = at::cuda::getDeviceProperties(on.device().index());
  std::string uuid;
  for (const char byte : gpu->uuid.bytes) {
    constexpr const char* digits = "0123456789abcdef";
    uuid += digits[static_cast<unsigned char>(byte) / 16];
    uuid += digits[static_cast<unsigned char>(byte) % 16];
  }
  return {uuid, nccl().problem};
}

std::string name(const Tensor&) {
  ncclUniqueId id;
  check(nccl().unique_id(&id));
  return {id.internal, sizeof id.internal};
}

std::int64_t join(const Tensor& on, c10::string_view name, std::int64_t member, std::int64_t size) {
  const c10::cuda::CUDAGuard guard(on.device());
  ncclUniqueId id;
  TORCH_CHECK(name.size() == sizeof id.internal, "a name of ", name.size(), " bytes is none of NCCL's");
  std::copy(name.begin(), name.end(), id.internal);
  auto made = std::make_unique<Pair>(on.device().index());
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  check(nccl().join(&made->comm, static_cast<int>(size), id, static_cast<int>(member), &config));
  return reinterpret_cast<std::int64_t>(made.release());
}

void gather(const Tensor& own, Tensor& all, std::int64_t number) {
  const c10::cuda::CUDAGuard guard(own.device());
  Pair& pair = pair_of(number);
  at::cuda::CUDAEvent ready;
  ready.record(c10::cuda::getCurrentCUDAStream());
  ready.block(pair.stream);
  pair.traveling = {own, all};
  check(nccl().all_gather(own.const_data_ptr(), all.mutable_data_ptr(), own.nbytes(), ncclInt8, pair.comm,
                          pair.stream.stream()));
}

// An operation is on the stream once NCCL reports it, and complete once the stream is.
bool done(const Tensor& on, std::int64_t number) {
  const c10::cuda::CUDAGuard guard(on.device());
  Pair& pair = pair_of(number);
  ncclResult_t state = ncclSuccess;
  check(nccl().state(pair.comm, &state));
  check(state);
  if (state == ncclInProgress) return false;
  if (!pair.arrived) {
    pair.arrived.emplace();
    pair.arrived->record(pair.stream);
  }
  if (!pair.arrived->query()) return false;
  pair.arrived.reset();
  pair.traveling = {};
  return true;
}

void leave(const Tensor& on, std::int64_t number) {
  const c10::cuda::CUDAGuard guard(on.device());
  delete &pair_of(number);
}

}  // namespace

TORCH_LIBRARY_IMPL(pairs, CUDA, m) {
  m.impl("nccl_place", place);
  m.impl("nccl_name", name);
  m.impl("nccl_join", join);
  m.impl("nccl_gather", gather);
  m.impl("nccl_done", done);
  m.impl("nccl_leave", leave);
}

}  // namespace pairs
