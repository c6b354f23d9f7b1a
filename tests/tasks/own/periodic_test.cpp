// Quantities of which values a period apart are the same, in a task file.
#include <gmock/gmock.h>

#include <cmath>

#include "tasks/parts/chosen_targets.h"
#include "tasks/registry.h"
#include "tests/core/base/message.h"
#include "tests/tasks/own/own_files.h"

namespace pairs::own {
namespace {

using ::testing::HasSubstr;

class PeriodicQuantities : public OwnFolder {
 protected:
  static std::string text(const std::string& target, const std::string& nuisance, const std::string& x) {
    return "name = \"periodic\"\nmax_n = 10\n[[targets]]\nname = \"theta\"\n" + target +
           "\n[[nuisances]]\nname = \"psi\"\n" + nuisance + "\n[x]\n" + x +
           "\n[simulator]\ncommand = [\"/usr/bin/python3\", \"simulate.py\"]\n";
  }
  TaskInfo parsed(const std::string& target, const std::string& nuisance, const std::string& x) const {
    return parse_task(text(target, nuisance, x), folder_ / "task.toml").info;
  }
};

constexpr const char* kAngle = "support = [-180, 180]\nperiodic = true";
constexpr const char* kPhase = "support = [0, 1]\nperiodic = true";
constexpr const char* kWind = "columns = [\"speed\", \"wind\"]\nperiodic = { wind = 360 }";

TEST_F(PeriodicQuantities, AreReadFromTheFile) {
  const TaskInfo info = parsed(kAngle, kPhase, kWind);
  EXPECT_EQ(info.targets[0].period(), 360);
  EXPECT_EQ(info.nuisances[0].period, 1);
  EXPECT_EQ(info.nuisances[0].view_low, 0);
  EXPECT_EQ(info.nuisances[0].view_high, 1);
  EXPECT_EQ(info.column_period(0), 0);
  EXPECT_EQ(info.column_period(1), 360);
  EXPECT_THAT(info.theta_text, HasSubstr("whose ends are the same"));
  const TaskInfo none = parsed("support = [-180, 180]", "support = [0, 1]", "columns = [\"wind\"]");
  EXPECT_FALSE(none.targets[0].periodic);
  EXPECT_EQ(none.nuisances[0].period, 0);
  EXPECT_TRUE(none.periods.empty());
  const TaskInfo rows = parsed(kAngle, kPhase, "rows = [\"wind\"]\ntypical = 3\nperiodic = { wind = 24 }");
  EXPECT_EQ(rows.column_period(0), 24);
}

TEST_F(PeriodicQuantities, NeedTheRangeThatTheyRepeatAfter) {
  struct Case {
    const char *target, *nuisance, *x, *says;
  };
  const Case cases[] = {
      {"support = [0, inf]\nperiodic = true", kPhase, kWind, "needs the range that values repeat after"},
      {kAngle, "periodic = true", kWind, "'nuisances.support' = [low, high], both finite"},
      {kAngle, "support = [0, 1]\nperiodic = true\nview = [0, 2]", kWind, "is its support; leave it out"},
      {"support = [0, 24]\nperiodic = true\nview = [-12, 12]", kPhase, kWind, "'targets.view' of a periodic target"},
      {kAngle, kPhase, "columns = [\"wind\"]\nperiodic = { wnd = 360 }", "did you mean 'wind'?"},
      {kAngle, kPhase, "columns = [\"wind\"]\nperiodic = { wind = 0 }", "'x.periodic.wind' must be the number after"},
      {kAngle, kPhase, "shape = [3]\nperiodic = { x1 = 360 }", "names columns, which [x] does not have"},
      {kAngle, kPhase, "columns = [\"wind\"]\nstandardize = false\nperiodic = { wind = 360 }",
       "has no effect with standardize = false"},
      {"support = [0, 1]\nperiodic = \"yes\"", kPhase, kWind, "'targets.periodic'"},
  };
  for (const Case& one : cases)
    EXPECT_THAT(message_of([&] { parsed(one.target, one.nuisance, one.x); }), HasSubstr(one.says)) << one.says;
}

// A run that infers the nuisance, or not the target, keeps what is periodic.
TEST_F(PeriodicQuantities, RemainSoAsChosenTargets) {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2> /dev/null") != 0)
    GTEST_SKIP() << "/usr/bin/python3 has no numpy: install python3-numpy";
  write("simulate.py",
        "from pairs_simulator import serve\ndef prior(rng, size):\n    return rng.uniform(-180, 180, size), "
        "rng.random(size)\ndef simulate(theta, psi, n, rng):\n    return rng.normal(theta[0], 1, (n, 2))\nserve(prior, "
        "simulate)\n");
  const auto file = write("task.toml", text(kAngle, kPhase, kWind));
  allow(read_task_file(file));
  const Catalog tasks = built_in_tasks();
  const auto made = tasks->make(tasks->open(file));
  const TaskInfo swapped = with_targets(made, "psi")->info();
  EXPECT_EQ(swapped.targets[0].period(), 1);
  ASSERT_EQ(swapped.nuisances.size(), 1U);
  EXPECT_EQ(swapped.nuisances[0].period, 360);
  EXPECT_EQ(swapped.nuisances[0].view_low, -180);
}

}  // namespace
}  // namespace pairs::own
