#include "app/batch/parts/arguments.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

#include "app/batch/parts/own_task.h"
#include "app/posterior/caveats/posterior_warnings.h"
#include "app/runs/task_words.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/log.h"
#include "core/base/text/text.h"
#include "core/base/threads/threads.h"
#include "tasks/task_description.h"

namespace pairs::batch {
namespace {

std::optional<double> angle_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

void add_open_arguments(CLI::App& app, OpenArguments& arguments) {
  app.add_option("--data", arguments.data,
                 "Folder of real data in place of the run's; without this option, $PAIRS_DATA if it is set")
      ->type_name("DIR");
  add_machine_arguments(app, arguments);
}

void add_machine_arguments(CLI::App& app, OpenArguments& arguments) {
  app.add_option("--device", arguments.device, "auto, cpu or cuda")
      ->type_name("NAME")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  app.add_option("--threads", arguments.threads, "CPU threads, 0 = all cores")
      ->type_name("N")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  add_allow_option(app, arguments.allow);
}

void set_threads(std::int64_t threads) {
  if (threads > 0) use_threads(threads);
}

LoadedRun open_run(const std::string& name, const OpenArguments& arguments, bool simulates) {
  set_threads(arguments.threads);
  if (arguments.allow) allow_run(find_run(arguments.tasks, name, data_folder(arguments.data)).folder);
  LoadedRun run = load_run(arguments.tasks, name, data_folder(arguments.data), arguments.device);
  const std::string &trained = run.estimator->data_source(), &here = run.task->info().data_source;
  if (simulates && trained != here && here != kAbsentSets)
    spdlog::warn("{} was trained on {} and is used here on {}: its posteriors may be wrong; {}", run.name, trained,
                 here, other_data_advice(run, arguments.data_option));
  return run;
}

void check_output(const std::filesystem::path& out, const std::string& extension,
                  const std::vector<std::filesystem::path>& inputs, const char* option) {
  if (out.extension() != extension) fail_usage("{} {} must end in {}", option, printable(out.string(), 300), extension);
  std::error_code error;
  const std::filesystem::path parent = out.has_parent_path() ? out.parent_path() : ".";
  for (const std::filesystem::path& input : inputs) {
    if (std::filesystem::equivalent(out, input, error))
      fail_usage("{} {} would replace {}; choose another file", option, printable(out.string(), 300),
                 printable(input.string(), 300));
    if (!input.empty() && std::filesystem::is_directory(input, error) &&
        std::filesystem::equivalent(parent, input, error))
      fail_usage("{} {} lies in the folder {}, whose files are read; choose a place outside", option,
                 printable(out.string(), 300), printable(input.string(), 300));
  }
  check_writable(out);
}

void check_output_folder(const std::filesystem::path& out, bool fresh) {
  const std::filesystem::path folder = out.has_filename() ? out : out.parent_path();
  const std::string name = printable(folder.string(), 300);
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) {
    if (fresh && !std::filesystem::is_empty(folder, error)) fail("The folder {} is not empty; choose a new one", name);
    check_writable(folder / "new");
    return;
  }
  PAIRS_CHECK(!std::filesystem::exists(folder, error), "{} is a file, but --out names a folder; choose another", name);
  check_writable(folder);
}

render::Camera parse_camera(const std::string& text, const char* option) {
  const std::size_t comma = std::min(text.find(','), text.size());
  const auto azimuth = angle_of(std::string_view(text).substr(0, comma));
  const auto elevation = angle_of(std::string_view(text).substr(std::min(comma + 1, text.size())));
  if (!azimuth || !elevation || !(std::abs(*azimuth) <= 360) || !(std::abs(*elevation) <= 90))
    fail_usage(
        "{0} {1} is not an azimuth from -360 to 360 and an elevation from -90 to 90 degrees; write for example "
        "{0} 30,45",
        option, printable(text));
  constexpr double degree = std::numbers::pi / 180;
  return {*azimuth * degree, *elevation * degree};
}

void check_same_data(const std::vector<LoadedRun>& runs) {
  const TaskInfo& first = runs.front().task->info();
  for (const LoadedRun& run : runs) {
    const TaskInfo& info = run.task->info();
    const bool own = !info.file.empty() && !first.file.empty();
    PAIRS_CHECK(own || info.data_source == first.data_source,
                "{} uses {} and {} uses {}; only runs on the same data can be compared{}", runs.front().name,
                first.data_source, run.name, info.data_source,
                (first.data_hint + info.data_hint).empty() ? "" : ": name one data folder for both with --data");
  }
}

void warn_only_pretrained(const LoadedRun& run) {
  for (const PosteriorWarning& one : training_warnings(run, false)) spdlog::warn("{}", one.text);
}

}  // namespace pairs::batch
