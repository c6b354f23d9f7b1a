#include "core/parallel/nccl_pair.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "core/base/text/error.h"
#include "tests/on_device.h"

namespace pairs {
namespace {

torch::Tensor values(const torch::Device& device, double first) {
  return at::arange(first, first + 1000, at::kFloat).to(device);
}

TEST(NcclPair, OfOneGathersItsOwn_CUDA) {
  PAIRS_NEEDS_CUDA();
  const torch::Device gpu = choose_device("cuda");
  const NcclPlace place = nccl_place(gpu);
  ASSERT_EQ(place.problem, "");
  EXPECT_EQ(place.gpu.size(), 32u) << place.gpu;
  NcclPair pair(gpu, NcclPair::new_name(gpu), 0, 1, [] {});
  for (int round = 0; round < 20; ++round) {
    const torch::Tensor own = values(gpu, round);
    EXPECT_TRUE(pair.gather(own, [] {}).equal(own.view({1, 1000})));
  }
}

TEST(NcclPair, IsLeftByAnExceptionWhereTheOtherDoesNotCome_CUDA) {
  PAIRS_NEEDS_CUDA();
  const torch::Device gpu = choose_device("cuda");
  const auto begin = std::chrono::steady_clock::now();
  const auto gone = [&] {
    if (std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(300)) fail("the other rank is lost");
  };
  EXPECT_THROW(NcclPair(gpu, NcclPair::new_name(gpu), 0, 2, gone), Error);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_TRUE(values(gpu, 1).add(1).equal(values(gpu, 2))) << "the GPU goes on";
}

TEST(NcclPair, OfTwoGpusGathersBoth_CUDA) {
  PAIRS_NEEDS_CUDA();
  if (at::getNumGPUs() < 2) GTEST_SKIP() << "there is one GPU alone";
  const std::string name = NcclPair::new_name({torch::kCUDA, 0});
  std::vector<torch::Tensor> seen(2);
  {
    std::vector<std::jthread> members;
    for (int member = 0; member < 2; ++member)
      members.emplace_back([&, member] {
        const torch::Device gpu(torch::kCUDA, static_cast<c10::DeviceIndex>(member));
        NcclPair pair(gpu, name, member, 2, [] {});
        seen[static_cast<std::size_t>(member)] = pair.gather(values(gpu, 1000 * member), [] {}).cpu();
      });
  }
  const torch::Tensor expected = at::stack({values(torch::kCPU, 0), values(torch::kCPU, 1000)});
  for (const torch::Tensor& both : seen) EXPECT_TRUE(both.equal(expected));
}

}  // namespace
}  // namespace pairs
