#include <gmock/gmock.h>

#include <set>

#include "app/gui/platform/theme.h"
#include "app/scores/run_evaluation.h"
#include "core/base/files/files.h"
#include "core/report/style.h"
#include "tasks/registry.h"
#include "tests/app/gui/driver.h"
#include "tests/app/model/environment.h"
#include "tests/app/model/small_run.h"

namespace pairs::gui {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::vector<std::string> kNames = {"gaussian-20261122-1530-first-pairs", "gaussian-20261122-1530-second-pairs",
                                         "gaussian-20261122-1530-third-n1"};

// Two runs of PAIRS and one of N = 1, evaluated.
struct LookedAtRuns {
  TemporaryFolder folder;
  std::vector<std::string> runs;
  LookedAtRuns() {
    model::QuietMonitor quiet;
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      runs.push_back(model::small_run(folder / "runs", kNames[i], "gaussian", static_cast<std::int64_t>(i + 1),
                                      i == 2 ? "n1" : "pairs", {i == 1 ? "embedder.size=12" : "embedder.size=8"}));
      const LoadedRun loaded = load_run(built_in_tasks(), runs.back());
      save_metrics(loaded, evaluate_in(quiet, loaded, evaluation_options(loaded)));
    }
  }
};

const LookedAtRuns& looked_at() {
  static const LookedAtRuns runs;
  return runs;
}

class RunsLook : public testing::TestWithParam<ThemeKind> {
 protected:
  static model::Settings settings(const std::string& tab) {
    model::Settings settings = settings_in(looked_at().folder.path(), "gaussian", tab);
    settings.theme = GetParam() == ThemeKind::light ? "light" : "dark";
    return settings;
  }
  // The colors of a figure's lines by the name that begins them.
  static std::set<ImU32> colors_of(const Figure& figure, const std::string& name) {
    std::set<ImU32> colors;
    for (const Plot& plot : figure.plots) {
      const auto styles = chart::line_styles(plot);
      for (std::size_t i = 0; i < plot.lines.size(); ++i)
        if (plot.lines[i].name.starts_with(name)) colors.insert(themed(styles[i].color));
    }
    return colors;
  }
};

TEST_P(RunsLook, OneColorARunWhereverItIs) {
  Driver window(settings("compare"));
  ASSERT_TRUE(window.until([&] { return window.studio.library.listed(); }));
  for (const std::string& run : looked_at().runs) window.studio.comparison.toggle(run);
  ASSERT_TRUE(window.rest(60));
  window.frames(4);
  const auto view = window.studio.comparison.view();
  ASSERT_NE(view, nullptr);
  std::set<ImU32> different;
  std::vector<ImU32> inks;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const ImU32 ink = window.item("sidebar/run/" + kNames[i] + "/color").ink;
    inks.push_back(ink);
    different.insert(ink);
    EXPECT_EQ(window.item("compare/color/" + looked_at().runs[i]).ink, ink) << kNames[i];
    int figures = 0;
    for (const model::ShownFigure& shown : view->figures) {
      if (!shown.figure) continue;
      const std::set<ImU32> colors = colors_of(*shown.figure, kNames[i]);
      if (colors.empty()) continue;
      EXPECT_TRUE(colors.contains(ink)) << kNames[i] << " in " << shown.name;
      // The lines of a run's two targets are tints of its color.
      if (shown.name != "acauc") {
        EXPECT_EQ(colors.size(), 1u) << kNames[i] << " in " << shown.name;
      }
      ++figures;
    }
    EXPECT_GE(figures, 4) << kNames[i];
  }
  EXPECT_EQ(different.size(), kNames.size());
  EXPECT_FALSE(different.contains(window.item("sidebar/run/gaussian/color").ink)) << "of the shipped weights";

  window.studio.open_run(looked_at().runs[0]);
  window.studio.posterior.set_others({looked_at().runs[1], looked_at().runs[2]});
  window.studio.posterior.set_n(10);
  window.studio.set_tab(model::Tab::posterior);
  ASSERT_TRUE(window.until([&] {
    const auto shown = window.studio.posterior.shown();
    return shown &&
           std::count_if(shown->series.begin(), shown->series.end(), [](const auto& s) { return s.ours; }) == 3;
  }));
  for (const PosteriorNumbers& series : window.studio.posterior.shown()->series)
    for (std::size_t i = 0; i < kNames.size(); ++i)
      if (series.name == kNames[i]) {
        EXPECT_EQ(series_color(series.role), inks[i]) << series.name;
      }
  EXPECT_EQ(colors_of(*window.studio.posterior.shown()->density, kNames[1]), std::set<ImU32>{inks[1]});
  window.studio.open_run(looked_at().runs[1]);
  window.studio.set_tab(model::Tab::evaluate);
  ASSERT_TRUE(window.until([&] { return window.studio.evaluation.scores() != nullptr; }));
  for (const model::ShownFigure& shown : window.studio.evaluation.scores()->figures)
    if (shown.name == "nll") {
      const auto styles = chart::line_styles(shown.figure->plots[0]);
      EXPECT_EQ(themed(styles[0].color), inks[1]);
    }
}

TEST_P(RunsLook, NamesAreCutWhereTheyAreAlike) {
  Driver window(settings("compare"), 1120, 900);
  ASSERT_TRUE(window.until([&] { return window.studio.library.listed(); }));
  window.frames(4);
  std::set<std::string> shown;
  for (const std::string& name : kNames) {
    const Item row = window.item("sidebar/run/" + name);
    for (const Item& item : recorder().items())
      if (item.kind == ItemKind::text && item.name.empty() && item.text.find("…") != std::string::npos &&
          item.max.x <= row.max.x && item.min.y >= row.min.y && item.max.y <= row.max.y)
        shown.insert(item.text);
  }
  EXPECT_EQ(shown.size(), kNames.size()) << testing::PrintToString(shown);
}

TEST_P(RunsLook, AVerdictStandsInTheTabAndTheListAndMarksItsCells) {
  // Scores whose truths all lie too high at N = 10.
  LoadedRun loaded = load_run(built_in_tasks(), looked_at().runs[0]);
  std::optional<Metrics> metrics = stored_metrics(loaded);
  ASSERT_TRUE(metrics);
  const Metrics before = *metrics;
  for (EvaluationRow& row : metrics->rows)
    for (auto& ranks : row.ranks)
      for (std::size_t i = 0; i < ranks.size(); ++i)
        ranks[i] = row.n == 10 ? 1 : static_cast<double>(i % (row.samples + 1)) / static_cast<double>(row.samples);
  write_file(loaded.folder / run_file::metrics, metrics_text(*metrics));
  {
    Driver window(settings("evaluate"));
    window.studio.open_run(looked_at().runs[0]);
    ASSERT_TRUE(
        window.until([&] { return window.studio.library.listed() && window.studio.evaluation.scores() != nullptr; }));
    window.frames(4);
    const Item verdict = window.item("evaluate/verdict");
    EXPECT_TRUE(verdict.text.starts_with("▲ Miscalibrated at N = 10: truths of θ₁ and θ₂ lie too high (location z "))
        << verdict.text;
    EXPECT_EQ(verdict.ink, palette().warning);
    int marked = 0, in_list = 0;
    for (const Item& item : recorder().items()) {
      if (item.ink != palette().warning || item.name == "evaluate/verdict") continue;
      if (item.text.starts_with("▲ miscalibrated at 1 of 2 sizes"))
        ++in_list;
      else if (item.text.starts_with("▲ "))
        ++marked;
    }
    EXPECT_EQ(in_list, 1);
    EXPECT_EQ(marked, 4) << "location z, width z, rank p, and the row's own verdict";
  }
  write_file(loaded.folder / run_file::metrics, metrics_text(before));
}

INSTANTIATE_TEST_SUITE_P(Themes, RunsLook, testing::Values(ThemeKind::dark, ThemeKind::light));

}  // namespace
}  // namespace pairs::gui
