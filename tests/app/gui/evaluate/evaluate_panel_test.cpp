#include <gmock/gmock.h>

#include "app/scores/metrics_file.h"
#include "app/scores/run_evaluation.h"
#include "core/base/files/files.h"
#include "tasks/registry.h"
#include "tests/app/gui/driver.h"
#include "tests/app/model/small_run.h"

namespace pairs::gui {
namespace {

using ::testing::HasSubstr;

// Scores for a simulator other than that of training carry a note above the verdict.
TEST(EvaluatePanel, WarnsOfScoresOfAnotherModel) {
  const TemporaryFolder folder;
  model::Settings settings = settings_in(folder.path(), "gaussian", "evaluate");
  std::filesystem::create_directories(folder / "runs");
  settings.run = model::small_run(folder / "runs", "mine", "gaussian");
  const LoadedRun loaded = load_run(built_in_tasks(), settings.run);
  model::QuietMonitor quiet;
  Metrics metrics = evaluate_in(quiet, loaded, evaluation_options(loaded));
  for (const bool changed : {false, true}) {
    metrics.caution = changed ? "The simulator has changed" : "";
    write_file(loaded.folder / run_file::metrics, metrics_text(metrics));
    Driver d(settings);
    ASSERT_TRUE(d.until([&] { return d.studio.evaluation.scores() != nullptr; }));
    d.frames(3);
    ASSERT_EQ(d.find("evaluate/caution") != nullptr, changed);
    if (!changed) continue;
    EXPECT_THAT(d.item("evaluate/caution").text, HasSubstr("The simulator has changed."));
    EXPECT_EQ(d.item("evaluate/caution").ink, palette().warning);
  }
}

}  // namespace
}  // namespace pairs::gui
