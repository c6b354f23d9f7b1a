#include "app/studies/claims.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "core/base/files/files.h"
#include "core/base/text/json.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

using namespace std::chrono_literals;

class ClaimsTest : public ::testing::Test {
 protected:
  // As one worker sees the folder, by a clock that the test turns.
  Claims claims(double grace = 60) {
    return Claims(folder_.path(), grace, [this] { return now_; });
  }
  ClaimState state(Claims& seen, const std::string& name = "run-s1") {
    seen.scan();
    return seen.look(name).state;
  }
  // What a worker of another machine wrote.
  void write_foreign(std::int64_t generation, const std::string& state, std::int64_t beat) {
    const nlohmann::json claim = {{"host", "far"},  {"process", 7}, {"started", "1"}, {"space", "another machine"},
                                  {"state", state}, {"beat", beat}};
    write_file(folder_ / ("run-s1." + std::to_string(generation)), claim.dump());
  }
  TemporaryFolder folder_;
  double now_ = 1000;
};

TEST_F(ClaimsTest, OneHasItUntilItGoes) {
  Claims one = claims(), two = claims();
  EXPECT_EQ(state(one), ClaimState::free);
  auto held = one.take("run-s1");
  ASSERT_TRUE(held);
  EXPECT_EQ(state(two), ClaimState::held);
  EXPECT_FALSE(two.take("run-s1"));
  EXPECT_TRUE(two.take("run-s2"));
  held.reset();
  EXPECT_EQ(state(two), ClaimState::free);
  EXPECT_TRUE(two.take("run-s1"));
}

TEST_F(ClaimsTest, OneThatLooksBeforeAnotherTookItGetsNothing) {
  Claims one = claims(), two = claims();
  one.scan();
  two.scan();
  const auto held = one.take("run-s1");
  EXPECT_TRUE(held);
  EXPECT_FALSE(two.take("run-s1"));
}

TEST_F(ClaimsTest, OfManyThatTryAtOnceOneGetsIt) {
  for (int round = 0; round < 20; ++round) {
    const std::string name = "run-" + std::to_string(round) + "-s1";
    std::atomic<int> taken = 0;
    std::vector<std::jthread> workers;
    for (int k = 0; k < 8; ++k)
      workers.emplace_back([&] {
        Claims mine(folder_.path(), 60);
        mine.scan();
        if (const auto claim = mine.take(name)) {
          ++taken;
          std::this_thread::sleep_for(20ms);
        }
      });
    workers.clear();
    // A worker that comes after another has freed it may have it in turn; never two of them at a time.
    EXPECT_GE(taken, 1) << round;
    Claims last(folder_.path(), 60);
    last.scan();
    EXPECT_EQ(last.look(name).state, ClaimState::free);
  }
}

TEST_F(ClaimsTest, AFailureIsKeptUntilItIsAskedForAgain) {
  Claims one = claims(), two = claims();
  one.scan();
  one.take("run-s1")->fail("no room on the disk");
  EXPECT_EQ(state(two), ClaimState::failed);
  EXPECT_EQ(two.look("run-s1").text, "no room on the disk");
  EXPECT_FALSE(two.take("run-s1"));
  EXPECT_TRUE(two.take("run-s1", true));
  EXPECT_EQ(state(one), ClaimState::free);
}

// A worker on another machine counts as dead only after a silence, measured by the reader's own clock since it last saw
// a heartbeat.
TEST_F(ClaimsTest, ASilentWorkerOfAnotherMachineIsDeadAfterTheGrace) {
  write_foreign(1, "held", 1);
  Claims seen = claims(60);
  EXPECT_EQ(state(seen), ClaimState::held);
  now_ += 59;
  EXPECT_EQ(state(seen), ClaimState::held);
  write_foreign(1, "held", 2);  // it beats
  now_ += 30;
  EXPECT_EQ(state(seen), ClaimState::held);
  now_ += 59;
  EXPECT_EQ(state(seen), ClaimState::held);
  now_ += 2;
  EXPECT_EQ(state(seen), ClaimState::dead);
  EXPECT_TRUE(seen.take("run-s1"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run-s1.2"));
}

// Whatever times stand on files, of years ago or to come: they are not read.
TEST_F(ClaimsTest, TheClocksOfMachinesDoNotMatter) {
  write_foreign(1, "held", 1);
  for (const auto shift : {-10 * 365 * 24h, 10 * 365 * 24h}) {
    std::filesystem::last_write_time(folder_ / "run-s1.1", std::filesystem::file_time_type::clock::now() + shift);
    Claims seen = claims(60);
    EXPECT_EQ(state(seen), ClaimState::held);
    now_ += 61;
    EXPECT_EQ(state(seen), ClaimState::dead);
  }
}

TEST_F(ClaimsTest, AKilledProcessOfThisMachineIsDeadAtOnce) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Claims mine(folder_.path(), 60);
    mine.scan();
    const auto held = mine.take("run-s1");
    for (;;) ::pause();
  }
  Claims seen = claims(3600);
  for (int k = 0; k < 500 && state(seen) != ClaimState::held; ++k) std::this_thread::sleep_for(10ms);
  ASSERT_EQ(state(seen), ClaimState::held);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(state(seen), ClaimState::dead);
  EXPECT_TRUE(seen.take("run-s1"));
}

TEST_F(ClaimsTest, WhoStoodStillTooLongLearnsThatItLostTheRun) {
  Claims one(folder_.path(), 1);
  one.scan();
  const auto held = one.take("run-s1");
  ASSERT_TRUE(held);
  write_foreign(2, "held", 1);
  for (int k = 0; k < 500 && !held->lost(); ++k) std::this_thread::sleep_for(10ms);
  EXPECT_TRUE(held->lost());
}

TEST_F(ClaimsTest, DamagedClaimsCountAsSilentOnes) {
  write_file(folder_ / "run-s1.3", "{\"state\": 7");
  write_file(folder_ / "run-s1.x", "nothing");
  write_file(folder_ / "run-s1.0", "nothing");
  Claims seen = claims(60);
  EXPECT_EQ(state(seen), ClaimState::held);
  now_ += 61;
  EXPECT_EQ(state(seen), ClaimState::dead);
  EXPECT_TRUE(seen.take("run-s1"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run-s1.4"));
}

}  // namespace
}  // namespace pairs
