#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "core/base/files/safetensors.h"
#include "core/base/threads/clock.h"
#include "core/eval/evaluate/evaluate.h"
#include "core/train/run/run.h"
#include "tasks/file_facts.h"
#include "tasks/registry.h"
#include "tests/core/train/test_monitor.h"
#include "tests/long_tests.h"
#include "tests/tasks/own/own_files.h"

namespace pairs::own {
namespace {

class OwnBumpHunt : public OwnFolder {
 protected:
  // The scores of a run of the preset `quick` on the built-in task's test sets.
  std::vector<EvaluationRow> scores(const std::string& task) const {
    RunConfig config = load_preset(tasks_, tasks_->make(task)->info(), "quick", "pairs", {"device=cpu", "threads=1"});
    config.task_file = tasks_->make(task)->info().file;
    const Stopwatch watch;
    const auto run = create_run(config, folder_ / ("run-" + task));
    TestMonitor monitor;
    execute_run(tasks_, run, monitor, Stage::finetune);
    // An estimator knows whose it is; here another task of the same sets asks it.
    TensorFile file = read_safetensors(run / run_file::estimator);
    file.metadata.at("task") = "bump-hunt";
    write_safetensors(folder_ / "asked.safetensors", file);
    Estimator estimator = Estimator::load(folder_ / "asked.safetensors", built_in_tasks()->make("bump-hunt"));
    EvaluationOptions options;
    options.sizes = {1, 2, 10, 100};
    options.sets = {20000};
    options.samples = 99;
    const auto rows = evaluate(estimator, options);
    for (const EvaluationRow& row : rows)
      std::printf("%s, N = %ld: gap to the exact posterior %.4f ± %.4f\n", task.c_str(), static_cast<long>(row.n),
                  row.gap, row.gap_se);
    std::printf("%s: %.0f s\n", task.c_str(), watch.seconds());
    std::fflush(stdout);
    return rows;
  }

  const Catalog tasks_ = built_in_tasks();
};

// Compares the shipped example, 20 lines of Python, with the built-in task of the same sets: presets fitted to its size
// train as well as those written for the task.
TEST_F(OwnBumpHunt, TwentyLinesOfPythonLearnWhatTheBuiltInTaskDoes) {
  if (!long_tests()) GTEST_SKIP() << "takes minutes; set PAIRS_LONG_TESTS=1";
  if (std::system("/usr/bin/python3 -c 'import numpy' 2> /dev/null") != 0)
    GTEST_SKIP() << "/usr/bin/python3 has no numpy: install python3-numpy";
  std::filesystem::copy(PAIRS_SOURCE_DIR "/assets/examples/bump-hunt-python", folder_ / "task");
  allow_task_file(folder_ / "task");
  const std::vector<EvaluationRow> own = scores(tasks_->open(folder_ / "task")), built_in = scores("bump-hunt");
  ASSERT_EQ(own.back().n, 100);
  EXPECT_NEAR(own.back().gap, built_in.back().gap, 0.02);
}

}  // namespace
}  // namespace pairs::own
