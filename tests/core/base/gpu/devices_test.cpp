#include "core/base/gpu/devices.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/files/files.h"
#include "tests/core/base/message.h"
#include "tests/on_device.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;

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
  EXPECT_EQ(choose_device("auto").is_cuda(), why_no_gpu().empty());
  for (const std::string name : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:0 "}) {
    ErrorKind kind = ErrorKind::failed;
    EXPECT_THAT(message_of([&] { choose_device(name); }, &kind), HasSubstr("unknown device '" + name + "'"));
    EXPECT_EQ(kind, ErrorKind::usage);
  }
  EXPECT_THAT(message_of([] { choose_device("cuda:99"); }), HasSubstr("device cuda:99"));
}

TEST(Devices, WithoutAGpuTheReasonIsGiven) {
  EXPECT_EQ(why_no_gpu().empty(), choose_device("auto").is_cuda());
  if (why_no_gpu().empty()) GTEST_SKIP() << "there is a usable GPU";
  EXPECT_EQ(why_no_gpu(), list_devices().at(1).reason);
  EXPECT_THAT(message_of([] { choose_device("cuda"); }), HasSubstr(why_no_gpu()));
}

TEST(Devices, ResultsRepeatInFloat32AfterTheStart) {
  start_devices();
  const at::Context& context = at::globalContext();
  EXPECT_FALSE(context.allowTF32CuDNN());
  EXPECT_FALSE(context.allowTF32CuDNN(at::Float32Op::CONV));
  EXPECT_FALSE(context.allowTF32CuBLAS());
  EXPECT_EQ(context.float32MatmulPrecision(), at::Float32MatmulPrecision::HIGHEST);
  EXPECT_EQ(context.allowBF16ReductionCuBLAS(), at::CuBLASReductionOption::DisallowReducedPrecisionAllowSplitK);
  EXPECT_TRUE(context.deterministicCuDNN());
  EXPECT_FALSE(context.benchmarkCuDNN());
  EXPECT_TRUE(context.deterministicAlgorithms());
  EXPECT_FALSE(context.deterministicAlgorithmsWarnOnly());
  EXPECT_FALSE(context.deterministicFillUninitializedMemory());  // it costs a pass over every new tensor
  ASSERT_NE(std::getenv("CUBLAS_WORKSPACE_CONFIG"), nullptr);
  EXPECT_THAT(std::string(std::getenv("CUBLAS_WORKSPACE_CONFIG")), ::testing::AnyOf(":4096:8", ":16:8"));
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

#ifdef PAIRS_CUDA_BUILT
// Where there is a GPU, tests of it are skipped if their programs do not find the module.
TEST(Devices, TestsFindTheModule) {
  EXPECT_TRUE(std::filesystem::exists(program_folder() / "libpairs_cuda.so"));
}
#endif

TEST(Devices, UsesTheGpu_CUDA) {
  PAIRS_NEEDS_CUDA();
  const torch::Device device = choose_device("cuda");
  EXPECT_EQ(torch::ones({4}, device).sum().item<float>(), 4.0f);
  EXPECT_THAT(list_devices().at(1 + static_cast<std::size_t>(device.index())).description,
              HasSubstr("compute capability"));
  EXPECT_THAT(numerics_fingerprint(device), HasSubstr(device.str() + " ("));
}

}  // namespace
}  // namespace pairs
