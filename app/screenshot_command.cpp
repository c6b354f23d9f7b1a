#include "app/screenshot_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/batch/parts/numbers.h"
#include "app/gui/screenshot.h"
#include "app/model/navigation.h"
#include "app/runs/task_words.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

struct ScreenshotArguments {
  std::string out, size = "1440x900";
  gui::ScreenshotOptions options;
};

batch::Result take(const Catalog& tasks, ScreenshotArguments arguments) {
  const auto [width, height] = batch::parse_size(arguments.size, "--size", {640, 480}, {8192, 8192});
  arguments.options.width = width;
  arguments.options.height = height;
  const std::string ending = std::filesystem::path(arguments.out).extension().string();
  if (ending != ".png" && ending != ".webp") fail_usage("--out {} must end in .png or .webp", arguments.out);
  if (ending == ".webp" && arguments.options.n == 0)
    fail_usage("--out {} is a film of a set that grows: give its last size with --n", arguments.out);
  if (!arguments.options.group.empty() && arguments.options.file.empty())
    fail_usage("--group names a column of a file; name that with --data");
  PAIRS_CHECK(arguments.options.file.empty() || std::filesystem::exists(arguments.options.file),
              "The file {} does not exist", printable(arguments.options.file, 300));
  check_writable(arguments.out);
  if (!arguments.options.items.empty()) check_writable(arguments.options.items);
  gui::write_screenshot(tasks, arguments.out, arguments.options);
  return {{{"file", arguments.out}, {"width", arguments.options.width}, {"height", arguments.options.height}},
          fmt::format("{}\n", arguments.out),
          0};
}

batch::Action add_screenshot(CLI::App& app, const Catalog& tasks) {
  const auto arguments = std::make_shared<ScreenshotArguments>();
  gui::ScreenshotOptions& options = arguments->options;
  app.add_option("--out", arguments->out, "Where the picture goes; .webp: a film of N growing to --n")
      ->type_name("FILE.png|.webp")
      ->required();
  app.add_option("--task", options.task, with_task_names("Which task is open (default: {first})"))->type_name("TASK");
  std::string tabs;
  for (const model::TabEntry& tab : model::kTabs) tabs += tabs.empty() ? tab.name : fmt::format(", {}", tab.name);
  app.add_option("--tab", options.tab, tabs + " or settings (default: posterior)")->type_name("TAB");
  app.add_option("--run", options.run, "A run folder, or a task's name for its shipped weights")->type_name("RUN");
  app.add_option("--compare", options.compare, "Runs on the Compare tab: folders, or task names for shipped weights")
      ->type_name("RUN...");
  app.add_option("--data", options.file, "The observed set of the posterior: a file, as infer takes it")
      ->type_name("FILE");
  app.add_option("--group", options.group,
                 "Of --data, the column that separates many sets, which are listed in a table")
      ->type_name("COLUMN");
  app.add_option("--n", options.n, "Observations in the posterior (default: where the window opens)")
      ->type_name("N")
      ->transform(batch::whole_number(1, std::int64_t{1} << 40));
  app.add_option("--session", options.session, "A session that the window has saved, with its notes")
      ->type_name("FILE");
  app.add_option("--size", arguments->size, "Pixels")->type_name("WxH")->capture_default_str();
  app.add_option("--scale", options.scale, "Of texts and distances")
      ->type_name("S")
      ->check(batch::number(0.75, 4.0))
      ->capture_default_str();
  app.add_option("--theme", options.theme, "dark or light")
      ->type_name("NAME")
      ->check(CLI::IsMember({"dark", "light"}))
      ->capture_default_str();
  app.add_option("--patience", options.patience, "Seconds to wait for what is computed in the background")
      ->type_name("S")
      ->check(batch::number(1.0, 86400.0))
      ->capture_default_str();
  app.add_flag("--tour", options.tour, "With the tour of a first start above the posterior");
  app.add_option("--items", options.items, "Also write where each widget is, by name")->type_name("FILE.json");
  app.footer(with_task_names(
      "Draws the panels without a display (EGL). Examples:\n"
      "  pairs --batch screenshot --task {exact} --tab posterior --n 100 --out posterior.png\n"
      "  pairs --batch screenshot --task {first} --data sets.csv --group run --out sets.png\n"
      "  pairs --batch screenshot --task {exact} --n 100 --size 960x640 --scale 0.75 --out posterior.webp"));
  return [arguments, tasks] { return take(tasks, *arguments); };
}

}  // namespace

batch::CommandEntry screenshot_command() {
  return {"screenshot", "Draw the window's panels as a PNG or a film, without a display", add_screenshot};
}

}  // namespace pairs
