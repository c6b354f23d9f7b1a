#include <gtest/gtest.h>

#include "app/gui/platform/theme.h"
#include "core/train/run/shipped.h"
#include "tasks/registry.h"
#include "tests/app/gui/driver.h"
#include "tests/app/model/environment.h"

namespace pairs::gui {
namespace {

// A fresh folder of settings and no real data: every task, every tab.
TEST(FirstStart, ShowsEveryTaskOnEveryTabWithoutWarningOrEmptyPage) {
  const model::Environment no_data("PAIRS_DATA", "");
  TemporaryFolder folder;
  for (const std::string& task : built_in_tasks()->names()) {
    Driver window(settings_in(folder.path(), task, "task"));
    ASSERT_TRUE(window.until([&] { return window.studio.library.listed(); }));
    const model::TaskEntry* entry = window.studio.library.task(task);
    ASSERT_NE(entry, nullptr);
    // A task without weights of its own waits to be trained.
    const bool trained = has_shipped_weights(built_in_tasks(), task);
    EXPECT_EQ(entry->badge, trained ? model::Badge::ready : model::Badge::untrained) << task;
    for (int k = 0; k < model::tab_count; ++k) {
      const auto tab = static_cast<model::Tab>(k);
      if (!trained && tab != model::Tab::task && tab != model::Tab::train) continue;
      const std::string where = task + ", " + model::entry(tab).name;
      window.studio.set_tab(tab);
      ASSERT_TRUE(window.until(
          [&] {
            switch (tab) {
              case model::Tab::task:
                return window.studio.specimen.figure() != nullptr;
              case model::Tab::posterior:
                return (&window.studio.posterior_page() == &window.studio.viewer) ||
                       window.studio.posterior.shown() != nullptr;
              case model::Tab::evaluate:
                return window.studio.evaluation.state() != model::Evaluation::State::loading;
              case model::Tab::compare:
                return !window.studio.comparison.busy() && window.studio.comparison.view() != nullptr;
              default:
                return true;
            }
          },
          120))
          << where;
      window.frames(6);
      EXPECT_EQ(window.find("empty-state"), nullptr) << where;
      EXPECT_EQ(window.find("data/differs"), nullptr) << where;
      for (const Item& item : recorder().items())
        if (item.kind == ItemKind::text && !item.text.empty()) {
          // A borderline size appears in amber, and so do the borderline tests on the Evaluate tab.
          const bool borderline = item.text.find("orderline") != item.text.npos ||
                                  (tab == model::Tab::evaluate && item.text.starts_with("▲ "));
          EXPECT_NE(item.ink, palette().bad) << where << ": " << item.text;
          EXPECT_TRUE(borderline || item.ink != palette().warning) << where << ": " << item.text;
        }
      if (tab == model::Tab::evaluate) {
        EXPECT_NE(window.studio.evaluation.scores(), nullptr) << where;
        EXPECT_NE(window.find("evaluate/verdict"), nullptr) << where;
      }
      if (tab == model::Tab::compare) {
        ASSERT_FALSE(window.studio.comparison.entries().empty()) << where;
        EXPECT_EQ(window.studio.comparison.entries()[0].state, model::ComparedRun::State::scored) << where;
        EXPECT_FALSE(window.studio.comparison.view()->figures.empty()) << where;
      }
    }
    for (const model::Message& message : window.studio.hub.messages.all())
      EXPECT_EQ(message.level, model::Level::info) << task << ": " << message.text;
  }
}

}  // namespace
}  // namespace pairs::gui
