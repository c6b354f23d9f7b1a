#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
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
  // What is tested starts processes of the program that it runs in. Here that is a test program, which would run all of
  // its tests once more, unseen and beside the others.
  if (argc > 1 && std::strcmp(argv[1], "--batch") == 0) {
    std::fputs("A test program has no commands; the test that started it names none\n", stderr);
    return 2;
  }
  testing::InitGoogleMock(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new SeedEachTest);  // the list owns it
  return RUN_ALL_TESTS();
}
