#include "core/nn/precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/base/text/error.h"

namespace pairs {
namespace {

TEST(Precision, IsWhatTheDeviceComputesIn) {
  const Precision wide("float32"), narrow("bf16");
  for (const torch::Device device : {torch::Device(torch::kCPU), torch::Device(torch::kCUDA, 0)})
    EXPECT_EQ(wide.on(device), torch::kFloat);
  EXPECT_EQ(narrow.on(torch::Device(torch::kCUDA, 0)), torch::kBFloat16);
  EXPECT_EQ(narrow.on(torch::kCPU), processor_has_bfloat16() ? torch::kBFloat16 : torch::kFloat);
  EXPECT_EQ(narrow.name(), "bf16");
}

TEST(Precision, KnowsTheProcessor) {
  std::ifstream file("/proc/cpuinfo");
  std::ostringstream text;
  text << file.rdbuf();
  if (text.str().find("flags") == std::string::npos) GTEST_SKIP() << "no flags of an x86 processor";
  EXPECT_EQ(processor_has_bfloat16(), text.str().find(" avx512bw") != std::string::npos &&
                                          text.str().find(" avx512dq") != std::string::npos &&
                                          text.str().find(" avx512vl") != std::string::npos);
}

TEST(Precision, RefusesOthers) {
  EXPECT_THROW(Precision("fp8"), Error);
}

}  // namespace
}  // namespace pairs
