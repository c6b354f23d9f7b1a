#include "core/base/gpu/cuda_support.h"

#include <gmock/gmock.h>

#include <vector>

namespace pairs {
namespace {

using ::testing::HasSubstr;

TEST(CudaSupport, OldDesignsAreTold) {
  EXPECT_EQ(capability_problem({"A100", 8, 0}, 80), "");
  EXPECT_EQ(capability_problem({"B200", 10, 0}, 90), "");
  EXPECT_EQ(capability_problem({"T4", 7, 5}, 80),
            "the GPU has compute capability 7.5 and this program needs 8.0 or newer; use the CPU");
}

// A machine with a driver of CUDA 13.0, a Hopper GPU, and a module that runs there.
CudaFacts working_machine() {
  CudaFacts facts;
  facts.driver = {true, "", 13000, {{"NVIDIA H100", 9, 0}}};
  facts.build = {13000, 80, 90};
  facts.visible = 1;
  return facts;
}

TEST(CudaSupport, DecidesByCapabilityDriverAndModule) {
  struct Case {
    const char* what;
    void (*change)(CudaFacts&);
    const char* problem;  // "" where the GPU can be used
  };
  const std::vector<Case> cases = {
      {"all is well", [](CudaFacts&) {}, ""},
      {"Ampere",
       [](CudaFacts& f) {
         f.driver.gpus = {{"A100", 8, 0}};
       },
       ""},
      {"Ada",
       [](CudaFacts& f) {
         f.driver.gpus = {{"L40", 8, 9}};
       },
       ""},
      {"Turing",
       [](CudaFacts& f) {
         f.driver.gpus = {{"T4", 7, 5}};
       },
       "has compute capability 7.5"},
      {"Volta",
       [](CudaFacts& f) {
         f.driver.gpus = {{"V100", 7, 0}};
       },
       "needs 8.0 or newer"},
      {"Blackwell compiles the PTX",
       [](CudaFacts& f) {
         f.driver.gpus = {{"B200", 10, 0}};
       },
       ""},
      {"a driver that is newer than the PTX",
       [](CudaFacts& f) {
         f.driver.gpus = {{"B200", 10, 0}};
         f.driver.version = 13010;
       },
       ""},
      {"a driver that is older than the PTX",
       [](CudaFacts& f) {
         f.driver.gpus = {{"B200", 10, 0}};
         f.build.toolkit = 13020;
       },
       "built with 13.2"},
      {"machine code needs no newer driver", [](CudaFacts& f) { f.build.toolkit = 13020; }, ""},
      {"a driver that does not tell its version", [](CudaFacts& f) { f.driver.version = 0; }, ""},
      {"a GPU that does not describe itself",
       [](CudaFacts& f) {
         f.driver.gpus = {{"?", 0, 0}};
       },
       "does not report its compute capability"},
      {"no driver",
       [](CudaFacts& f) {
         f.driver = {false, "no driver here", 0, {}};
       },
       "no driver here"},
      {"no module", [](CudaFacts& f) { f.module = "not built"; }, "not built"},
      {"LibTorch sees nothing", [](CudaFacts& f) { f.visible = 0; }, "LibTorch does not see"},
      {"no GPU", [](CudaFacts& f) { f.driver.gpus.clear(); }, "there is no GPU 0"},
  };
  for (const Case& c : cases) {
    CudaFacts facts = working_machine();
    c.change(facts);
    const std::string problem = gpu_problem(facts, 0);
    EXPECT_EQ(problem.empty(), *c.problem == '\0') << c.what << ": " << problem;
    EXPECT_THAT(problem, HasSubstr(c.problem)) << c.what;
    EXPECT_EQ(usable_gpu(facts).has_value(), problem.empty()) << c.what;
  }
}

TEST(CudaSupport, TakesTheFirstGpuThatCan) {
  CudaFacts facts = working_machine();
  facts.driver.gpus = {{"T4", 7, 5}, {"A100", 8, 0}, {"H100", 9, 0}};
  facts.visible = 3;
  EXPECT_EQ(usable_gpu(facts), 1u);
  facts.visible = 1;
  EXPECT_EQ(usable_gpu(facts), std::nullopt);
  EXPECT_THAT(gpu_problem(facts, 7), HasSubstr("there is no GPU 7"));
}

TEST(CudaSupport, ADriverMustServeLibTorch) {
  CudaDriver driver{true, "", 12040, {{"H100", 9, 0}}};
  EXPECT_THAT(driver_problem(driver, 13000), HasSubstr("supports CUDA 12.4; install one that supports 13.0"));
  for (const int version : {0, 13000, 13020}) {
    driver.version = version;
    EXPECT_EQ(driver_problem(driver, 13000), "");
  }
  driver.reason = "it does not start";
  EXPECT_EQ(driver_problem(driver, 13000), "it does not start");
}

}  // namespace
}  // namespace pairs
