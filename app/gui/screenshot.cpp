#include "app/gui/screenshot.h"

#include <nlohmann/json.hpp>

#include "app/gui/offscreen_window.h"
#include "app/gui/platform/recorder.h"
#include "app/posterior/set/chosen_sets.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/report/animation.h"
#include "core/report/png.h"

namespace pairs::gui {
namespace {

std::string items_text(const std::vector<Item>& items) {
  nlohmann::json all = nlohmann::json::array();
  for (const Item& item : items)
    all.push_back({{"name", item.name},
                   {"text", item.text},
                   {"enabled", item.enabled},
                   {"box", {item.min.x, item.min.y, item.max.x, item.max.y}}});
  return all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// Draws until all work has ended.
void rest(OffscreenWindow& window, double patience) {
  PAIRS_CHECK(window.settle(patience), "The window was still at work after {:.0f} s ({}); give more with --patience",
              patience, window.studio().activity());
}

void show_n(OffscreenWindow& window, std::int64_t n, double patience) {
  model::Studio& studio = window.studio();
  studio.posterior_page().set_n(n);
  rest(window, patience);
}

std::string film(OffscreenWindow& window, const ScreenshotOptions& options) {
  chart::WebpAnimation frames(options.width, options.height);
  const std::vector<std::int64_t> sizes = chart::film_sizes(options.n);
  for (const std::int64_t n : sizes) {
    show_n(window, n, options.patience);
    frames.add(window.pixels(), chart::frame_milliseconds(n == sizes.back()));
  }
  return frames.finish();
}

bool holds_many(const Catalog& tasks, const std::string& task, const std::filesystem::path& file) {
  try {
    return holds_many_sets(*tasks->make(task), {.file = file});
  } catch (const std::exception&) {
    return false;  // reading the file reports the error
  }
}

}  // namespace

void write_screenshot(const Catalog& tasks, const std::filesystem::path& file, const ScreenshotOptions& options) {
  model::Settings settings;
  settings.theme = options.theme;
  settings.file_dialogs = "own";                // no dialog of the desktop
  const bool page = options.tab == "settings";  // in place of a tab
  settings.tab = options.tab.empty() || page ? "posterior" : options.tab;
  if (!options.tour) settings.dismissed = {"welcome"};
  const model::Tab tab = model::parse_tab(settings.tab);
  if (!options.task.empty()) settings.task = options.task;
  OffscreenWindow window(tasks, settings, options.width, options.height, static_cast<float>(options.scale));
  model::Studio& studio = window.studio();
  if (!options.run.empty()) studio.open_path(options.run);
  if (!options.file.empty()) {
    Question question;
    question.set.file = options.file;
    question.set.group = options.group;
    question.many = !options.group.empty() || holds_many(tasks, studio.task(), options.file);
    studio.posterior_page().restore(question);
  }
  if (!options.session.empty()) {
    studio.settings.notes_open = true;
    studio.open_path(options.session);
  }
  if (!options.compare.empty()) studio.comparison.clear();  // removes the runs of the start
  for (const std::string& run : options.compare) studio.comparison.toggle(run);
  if (options.session.empty() || !options.tab.empty()) studio.set_tab(tab);
  if (page) studio.page.open();
  PAIRS_CHECK(studio.hub.messages.unseen() == 0, "{}", studio.hub.messages.all().back().text);
  if (!options.task.empty() && studio.task() != options.task) {
    if (options.run.empty()) fail_usage("There is no task {}; pairs --batch tasks lists them", options.task);
    fail_usage("--run {} is not a run of the task {}; leave out --task", options.run, options.task);
  }
  recorder().turn(!options.items.empty());
  rest(window, options.patience);
  if (options.n > 0) show_n(window, options.n, options.patience);
  if (!options.items.empty()) write_file(options.items, items_text(recorder().items()));
  recorder().turn(false);
  if (file.extension() == ".webp") return write_file(file, film(window, options));
  write_file(file, chart::encode_png(options.width, options.height, window.pixels()));
}

}  // namespace pairs::gui
