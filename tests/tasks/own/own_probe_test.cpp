// A simulator that is no longer the one that a run began with.
#include <gmock/gmock.h>

#include "core/base/text/error.h"
#include "core/base/text/json.h"
#include "core/simulator_probe.h"
#include "core/train/run/simulator_record.h"
#include "tasks/own/simulated_task.h"
#include "tests/core/train/test_monitor.h"
#include "tests/tasks/own/own_files.h"

namespace pairs::own {
namespace {

using ::testing::HasSubstr;

class OwnProbe : public OwnFolder {
 protected:
  OwnProbe() { std::filesystem::create_directory(run()); }

  std::filesystem::path run() const { return folder_ / "run"; }

  // A program whose noise is `noise` and whose prior is `prior`; its task, with a process of its own.
  std::shared_ptr<const Task> program(const std::string& noise = "0.5 * rng.standard_normal(n)",
                                      const std::string& prior = "rng.random(size)") const {
    return make_simulated_task(
        python_task("import numpy as np\nfrom pairs_simulator import serve\n"
                    "def prior(rng, size):\n    return " +
                        prior +
                        ", rng.normal(0, 1, size)\n"
                        "def simulate(theta, psi, n, rng):\n    return 70 + psi[0] + " +
                        noise + "\n" + kServe,
                    "workers = 1\n"));
  }
  std::string record(const Task& task) {
    try {
      record_simulator(run(), task, monitor_);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  TestMonitor monitor_;
};

TEST_F(OwnProbe, TellsAnotherProgramFromTheSame) {
  ASSERT_EQ(record(*program()), "");
  ASSERT_TRUE(std::filesystem::exists(run() / kSimulatorFile));
  EXPECT_EQ(changed_simulator(run(), *program()), "");
  EXPECT_EQ(record(*program()), "") << "the run goes on with the program that it began with";

  // The noise is not compared by its size alone: with equal seeds each number differs.
  const std::string noise = "1.5 * rng.standard_normal(n)";
  EXPECT_THAT(changed_simulator(run(), *program(noise)),
              HasSubstr("is not the one that the run run was trained with: x drawn from the same seed and parameters "
                        "differs by up to"));
  EXPECT_THAT(record(*program(noise)), HasSubstr("has changed since the run run began: x drawn"));
  EXPECT_THAT(record(*program(noise)), HasSubstr("--changed")) << "nothing was replaced by that";
  EXPECT_THAT(changed_simulator(run(), *program("0.5 * rng.standard_normal(n)", "0.9 * rng.random(size)")),
              HasSubstr("its prior draws other parameters"));
  // What other versions of a library may change.
  EXPECT_EQ(changed_simulator(run(), *program("(0.5 + 1e-9) * rng.standard_normal(n)")), "");
  EXPECT_EQ(record(*program("(0.5 + 1e-9) * rng.standard_normal(n)")), "");
  EXPECT_TRUE(monitor_.events.empty());
}

TEST_F(OwnProbe, AnotherIsAcceptedOnce) {
  const std::string noise = "1.5 * rng.standard_normal(n)", more = "5 * rng.standard_normal(n)";
  ASSERT_EQ(record(*program()), "");
  accept_simulator(run());
  EXPECT_EQ(record(*program()), "") << "which is no other";
  EXPECT_TRUE(monitor_.events.empty());
  EXPECT_NE(record(*program(noise)), "") << "what was accepted then is not accepted now";
  accept_simulator(run());
  EXPECT_EQ(record(*program(noise)), "");
  ASSERT_EQ(monitor_.events.size(), 1u);
  EXPECT_EQ(monitor_.events[0].type, EventType::warning);
  EXPECT_EQ(changed_simulator(run(), *program(noise)), "");
  EXPECT_NE(record(*program(more)), "");
  EXPECT_EQ(parse_json(read_file(run() / kSimulatorFile))["former"].size(), 1u) << "the first one stays recorded";
  write_file(run() / kSimulatorFile, "{}");
  EXPECT_THAT(record(*program(noise)), HasSubstr("is damaged"));
}

// Nothing is recorded of a task that no program draws, and nothing run that was not agreed to.
TEST_F(OwnProbe, RunsNothingThatWasNotAgreedTo) {
  write("simulate.py", "open('ran', 'w')\n");
  const auto task =
      make_simulated_task(read_task_file(write("task.toml", task_text("[\"/usr/bin/python3\", \"simulate.py\"]"))));
  EXPECT_THAT(record(*task), HasSubstr("wants to run the program"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ran"));
  EXPECT_FALSE(std::filesystem::exists(run() / kSimulatorFile));
}

}  // namespace
}  // namespace pairs::own
