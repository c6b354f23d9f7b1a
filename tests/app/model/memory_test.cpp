// What a training and an evaluation leave behind in the window's process.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <thread>

#include "app/model/studio.h"
#include "core/base/threads/clock.h"
#include "tasks/registry.h"
#include "tests/app/model/environment.h"
#include "tests/app/model/small_run.h"
#include "tests/long_tests.h"

namespace pairs::model {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

double resident_mb() {
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

bool poll_studio(Studio& studio, const std::function<bool()>& done, double seconds) {
  const Stopwatch watch;
  while (!done()) {
    if (watch.seconds() > seconds) return false;
    studio.training.shown();
    studio.poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

bool rest(Studio& studio, double seconds) {
  int rested = 0;
  return poll_studio(
      studio, [&] { return (rested = studio.busy() ? 0 : rested + 1) > 20; }, seconds);
}

// The quick bump hunt with its own networks, batches and sets; fewer steps and cached sets unless PAIRS_LONG_TESTS is
// set.
TEST(Memory, GoesBackAfterTrainingAndEvaluating) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer keeps what is freed";
  const TemporaryFolder scratch;
  const Environment config("XDG_CONFIG_HOME", scratch.path().string()), data("XDG_DATA_HOME", scratch.path().string());
  Settings settings;
  settings.runs_folder = (scratch.path() / "runs").string();
  settings.tab = "posterior";
  Studio studio(built_in_tasks(), settings);
  ASSERT_TRUE(rest(studio, 240));
  ASSERT_TRUE(studio.posterior.shown());
  const double before = resident_mb();

  studio.set_tab(Tab::train);
  Draft& draft = studio.training.drafts.shown();
  if (!long_tests())
    for (const auto& [key, value] : {std::pair{"pretrain.epochs", "2"},
                                     {"pretrain.steps", "20"},
                                     {"cache.sets", "[15000]"},
                                     {"finetune.epochs", "2"},
                                     {"finetune.steps", "20"}})
      draft.set(key, value);
  ASSERT_EQ(draft.preset(), "quick");
  ASSERT_TRUE(rest(studio, 240));
  studio.training.start();
  ASSERT_TRUE(poll_studio(
      studio, [&] { return studio.training.finished(); }, 1200))
      << studio.training.problem();
  const std::string run = studio.training.folder().string();
  ASSERT_TRUE(poll_studio(
      studio, [&] { return studio.run() == run; }, 240));
  studio.set_tab(Tab::evaluate);
  ASSERT_TRUE(rest(studio, 240));
  studio.evaluation.start();
  ASSERT_TRUE(poll_studio(
      studio, [&] { return studio.evaluation.work().running; }, 60));
  ASSERT_TRUE(poll_studio(
      studio, [&] { return !studio.evaluation.work().running; }, 600));
  ASSERT_TRUE(studio.evaluation.scores()) << studio.evaluation.failure();
  ASSERT_TRUE(rest(studio, 240));

  const double after = resident_mb();
  RecordProperty("before_mb", static_cast<int>(before));
  RecordProperty("after_mb", static_cast<int>(after));
  EXPECT_LT(after, before + 150) << "MB resident; before " << before;
}

}  // namespace
}  // namespace pairs::model
