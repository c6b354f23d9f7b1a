// Each warning about a posterior states what is the matter, a number or fact in parentheses, and what to do.
#include "app/posterior/caveats/caveat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/posterior/caveats/disagreement_text.h"
#include "app/posterior/caveats/posterior_warnings.h"
#include "app/posterior/caveats/verdict.h"
#include "core/estimator.h"
#include "core/given.h"
#include "tasks/registry.h"
#include "tests/app/model/small_run.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

constexpr const char* kForm = R"(^[A-Za-z][^:;]*[^ ] \([^()]+\): [a-z].*[a-z]$)";

TEST(Caveat, HasItsForm) {
  EXPECT_EQ(caveat_text("The runs differ", "0.5 nat", "train longer"), "The runs differ (0.5 nat): train longer");
}

TEST(Caveat, IsTheFormOfTheWarnings) {
  const TemporaryFolder folder;
  const auto tasks = built_in_tasks();
  std::vector<std::string> all;
  const auto add = [&](const std::vector<PosteriorWarning>& warnings) {
    EXPECT_FALSE(warnings.empty());
    for (const PosteriorWarning& one : warnings) all.push_back(one.text);
  };
  const LoadedRun run = load_run(tasks, model::small_run(folder.path(), "run", "gaussian", 1, "pairs"), "", "cpu");
  add(size_warnings(run, run.estimator->max_n() + 1, {}));
  add(size_warnings(run, 5, {.held = {{5, 3}}}));
  LoadedRun pretrained = run;
  pretrained.finetuned = false;
  add(training_warnings(pretrained, true));
  LoadedRun alone = load_run(tasks, model::small_run(folder.path(), "alone", "gaussian", 1, "n1"), "", "cpu");
  alone.config.strategy = "e2e";
  add(size_warnings(alone, alone.estimator->max_n() + 1, {}));
  all.push_back(verdict_warning(model_verdict({true, true, 3.0, 99.95})));
  all.push_back(verdict_warning(model_verdict({true, false, 3.0, 37}, {0.005, 199})));
  Disagreement apart;
  apart.members = 3;
  apart.nat = 0.9;
  apart.spread = {0.9, 0.1};
  all.push_back(disagreement_warning(apart, run.task->info()));
  EXPECT_GE(all.size(), 7u);
  for (const std::string& text : all) EXPECT_THAT(text, ::testing::ContainsRegex(kForm));
}

}  // namespace
}  // namespace pairs
