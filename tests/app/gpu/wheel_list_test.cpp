#include "app/gpu/wheel_list.h"

#include <gmock/gmock.h>

#include "core/base/files/files.h"
#include "tests/core/base/message.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::gpu {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

const std::string kHash(64, 'a');

TEST(WheelList, TheListOfThisProgramIsWhole) {
  const WheelList list = read_wheel_list(std::string(PAIRS_SOURCE_DIR) + "/third_party/torch-gpu.txt");
  ASSERT_THAT(list.wheels, SizeIs(16));
  EXPECT_EQ(list.wheels[0].project, "torch");
  EXPECT_EQ(list.wheels[0].version, "2.11.0");
  EXPECT_THAT(list.wheels[0].hashes, SizeIs(3));
  for (const Wheel& wheel : list.wheels)
    for (const std::string& hash : wheel.hashes) EXPECT_THAT(hash, SizeIs(64)) << wheel.project;
  EXPECT_GT(list.wheel_bytes, 2'000'000'000u);
  EXPECT_GT(list.library_bytes, list.wheel_bytes);
}

TEST(WheelList, WhatIsNoListIsRefusedWithItsLine) {
  const TemporaryFolder folder;
  const auto problem_of = [&](const std::string& text) {
    write_file(folder / "list.txt", text);
    return message_of([&] { read_wheel_list(folder / "list.txt"); });
  };
  const std::string sizes = "# bytes: 10 to fetch, 20 of libraries\n", wheel = "torch==2.11.0 --hash=sha256:" + kHash;
  EXPECT_THAT(problem_of(sizes + "torch>=2\n"), HasSubstr("list.txt, line 2: 'torch>=2' is neither"));
  EXPECT_THAT(problem_of(sizes + "--hash=sha256:" + kHash + "\n"), HasSubstr("neither"));
  EXPECT_THAT(problem_of(sizes + "torch==2.11.0 --hash=sha256:abc\n"), HasSubstr("neither"));
  EXPECT_THAT(problem_of(sizes + "torch==2.11.0\n"), HasSubstr("lacks wheels, a hash of one, or their sizes"));
  EXPECT_THAT(problem_of(wheel + "\n"), HasSubstr("lacks"));
  EXPECT_THAT(problem_of(""), HasSubstr("lacks"));
}

}  // namespace
}  // namespace pairs::gpu
