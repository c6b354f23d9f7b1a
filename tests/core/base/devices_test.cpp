#include "core/base/devices.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/core/base/message.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;

bool cuda_usable() {
  return list_devices().at(1).usable;
}

TEST(Devices, TheCpuIsFirstAndUsable) {
  const auto devices = list_devices();
  ASSERT_GE(devices.size(), 2u);
  EXPECT_EQ(devices[0].name, "cpu");
  EXPECT_TRUE(devices[0].usable);
  EXPECT_THAT(devices[0].description, HasSubstr("core"));
  EXPECT_EQ(devices[1].name, "cuda:0");
  for (const DeviceInfo& device : devices) {
    EXPECT_FALSE(device.description.empty());
    EXPECT_EQ(device.usable, device.reason.empty()) << device.name;
  }
}

TEST(Devices, ChoosingFollowsWhatIsUsable) {
  EXPECT_EQ(choose_device("cpu"), torch::Device(torch::kCPU));
  EXPECT_EQ(choose_device("auto").is_cuda(), cuda_usable());
  for (const std::string name : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:0 "}) {
    ErrorKind kind = ErrorKind::failed;
    EXPECT_THAT(message_of([&] { choose_device(name); }, &kind), HasSubstr("unknown device '" + name + "'"));
    EXPECT_EQ(kind, ErrorKind::usage);
  }
  EXPECT_THAT(message_of([] { choose_device("cuda:99"); }), HasSubstr("device cuda:99"));
}

TEST(Devices, WithoutCudaTheReasonIsGiven) {
  std::string reason = "unset";
  const bool loaded = load_cuda_module(&reason);
  EXPECT_EQ(loaded, reason.empty());
  EXPECT_EQ(load_cuda_module(), loaded);
  if (cuda_usable()) GTEST_SKIP() << "CUDA is usable here";
  EXPECT_THAT(message_of([] { choose_device("cuda"); }), HasSubstr(list_devices().at(1).reason));
}

TEST(Devices, FingerprintNamesThreadsAndVersion) {
  const std::string before = numerics_fingerprint(torch::kCPU);
  EXPECT_THAT(before, HasSubstr("cpu"));
  EXPECT_THAT(before, HasSubstr("LibTorch 2."));
  EXPECT_EQ(before, numerics_fingerprint(torch::kCPU));
  const int threads = at::get_num_threads();
  at::set_num_threads(threads + 1);
  EXPECT_NE(before, numerics_fingerprint(torch::kCPU));
  at::set_num_threads(threads);
}

TEST(Devices, UsesTheGpu_CUDA) {
  if (!cuda_usable()) {
    const char* required = std::getenv("PAIRS_REQUIRE_CUDA");
    if (required && std::string(required) == "1") FAIL() << list_devices().at(1).reason;
    GTEST_SKIP() << "skipped: " << list_devices().at(1).reason;
  }
  const torch::Device device = choose_device("cuda");
  EXPECT_EQ(torch::ones({4}, device).sum().item<float>(), 4.0f);
  EXPECT_THAT(list_devices().at(1).description, HasSubstr("compute capability"));
  EXPECT_THAT(numerics_fingerprint(device), HasSubstr("cuda:0 ("));
}

}  // namespace
}  // namespace pairs
