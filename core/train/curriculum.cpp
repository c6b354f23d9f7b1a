#include "core/train/curriculum.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/task_factory.h"

namespace pairs {
namespace {

constexpr std::int64_t kMostEpochs = 100000;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

[[noreturn]] void fail_form(std::string_view lesson) {
  fail_usage(
      "pretrain.curriculum holds '{}', which is no lesson: write settings of the task and a number of epochs, as in "
      "\"key=value: 2; key=value: 4\"",
      printable(lesson));
}

// What makes sets of `lesson` unfit for networks of `task`, "" where nothing does.
std::string unfit(const TaskInfo& lesson, const TaskInfo& task, bool turn) {
  if (lesson.observation_shape != task.observation_shape) return "observations of another shape";
  if (!std::equal(
          lesson.targets.begin(), lesson.targets.end(), task.targets.begin(), task.targets.end(),
          [](const Target& a, const Target& b) { return a.name == b.name && a.low == b.low && a.high == b.high; }))
    return "other targets";
  if (lesson.target_size() != task.target_size()) return "a target of another shape";
  if (lesson.given_size() != task.given_size()) return "other values given";
  if (lesson.max_n < task.max_n) return "smaller sets";
  return turn && !lesson.turns ? "sets that may not be turned (pretrain.turn)" : "";
}

}  // namespace

std::vector<Lesson> curriculum(const RunConfig& config, const TaskInfo& task) {
  std::vector<Lesson> epochs;
  std::string_view rest = trimmed(config.pretrain.curriculum);
  while (!rest.empty()) {
    const auto end_of_lesson = std::min(rest.find(';'), rest.size());
    const std::string_view lesson = trimmed(rest.substr(0, end_of_lesson));
    rest = trimmed(rest.substr(std::min(end_of_lesson + 1, rest.size())));
    const auto colon = lesson.rfind(':');
    if (colon == std::string_view::npos) fail_form(lesson);
    const std::string_view number = trimmed(lesson.substr(colon + 1));
    std::int64_t count = 0;
    const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), count);
    if (code != std::errc() || end != number.data() + number.size() || count < 1 || count > kMostEpochs)
      fail_form(lesson);
    std::istringstream words{std::string(lesson.substr(0, colon))};
    TaskOptions options = config.task_options();
    if (options.settings.empty()) options.settings = default_task_settings(config.task);
    std::string word;
    bool changed = false;
    while (words >> word) {
      try {
        set_field(options.settings.fields(), word);
        changed = true;
      } catch (const Error& error) {
        throw Error(fmt::format("pretrain.curriculum, '{}': {}", printable(lesson), error.what()), error.kind());
      }
    }
    if (!changed) fail_form(lesson);
    const auto made = make_registered_task(config.task, options);
    if (const std::string flaw = unfit(made->info(), task, config.pretrain.turn); !flaw.empty())
      fail_usage("pretrain.curriculum, '{}': it gives {}, which the run's networks do not take; change other settings",
                 printable(lesson), flaw);
    epochs.insert(epochs.end(), static_cast<std::size_t>(count), {made, std::string(trimmed(lesson.substr(0, colon)))});
  }
  const std::int64_t whole =
      config.pretrain.epochs * (config.pretrain.scale_epochs && !config.pretrain.sizes.empty()
                                    ? *std::max_element(config.pretrain.sizes.begin(), config.pretrain.sizes.end())
                                    : 1);
  if (whole > 0 && static_cast<std::int64_t>(epochs.size()) >= whole)
    fail_usage(
        "pretrain.curriculum takes {} epochs and leaves none of {} for the task itself; raise pretrain.epochs, or set "
        "pretrain.curriculum=\"\"",
        epochs.size(), whole);
  return epochs;
}

}  // namespace pairs
