#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

namespace {

// LibTorch seeds its default generator by chance in each process. Every test starts it anew from the same seed, so that
// a test draws the same numbers in each run, alone or among others.
class SeedEachTest : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const std::scoped_lock lock(generator.mutex());
    generator.set_current_seed(1);
  }
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new SeedEachTest);  // the list owns it
  return RUN_ALL_TESTS();
}
