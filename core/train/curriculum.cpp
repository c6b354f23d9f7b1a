#include "core/train/curriculum.h"

#include <algorithm>
#include <charconv>
#include <cmath>
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
      "pretrain.curriculum holds '{}', which is no lesson: write settings of the task and their share of the epochs or "
      "a number of epochs, as in \"key=value: 10 %; key=value: 4\"",
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

std::vector<Lesson> curriculum(const RunConfig& config) {
  if (config.pretrain.curriculum.empty()) return {};
  const auto task = make_registered_task(config.task, config.task_options());
  const PretrainConfig& stage = config.pretrain;
  const bool scaled = stage.scale_epochs && !stage.sizes.empty();
  const std::int64_t all = stage.epochs * (scaled ? *std::max_element(stage.sizes.begin(), stage.sizes.end()) : 1);
  std::vector<Lesson> epochs;
  double percent = 0;  // of all epochs, by the lessons that take shares
  std::int64_t shared = 0, counted = 0;
  std::string key;
  std::string_view rest = trimmed(stage.curriculum);
  while (!rest.empty()) {
    const auto end_of_lesson = std::min(rest.find(';'), rest.size());
    const std::string_view lesson = trimmed(rest.substr(0, end_of_lesson));
    rest = trimmed(rest.substr(std::min(end_of_lesson + 1, rest.size())));
    const auto colon = lesson.rfind(':');
    if (colon == std::string_view::npos) fail_form(lesson);
    std::string text;
    TaskOptions options = config.task_options();
    if (options.settings.empty()) options.settings = default_task_settings(config.task);
    std::istringstream words{std::string(lesson.substr(0, colon))};
    for (std::string word; words >> word;) {
      const auto equal = word.find('=');
      if (equal == std::string::npos && key.empty()) fail_form(lesson);
      if (equal == std::string::npos) word.insert(0, key + "=");
      key = word.substr(0, word.find('='));
      try {
        set_field(options.settings.fields(), word);
      } catch (const Error& error) {
        throw Error(fmt::format("pretrain.curriculum, '{}': {}", printable(lesson), error.what()), error.kind());
      }
      text += (text.empty() ? "" : " ") + word;
    }
    if (text.empty()) fail_form(lesson);

    std::string_view number = trimmed(lesson.substr(colon + 1));
    const bool share = number.ends_with('%');
    if (share) number = trimmed(number.substr(0, number.size() - 1));
    double amount = 0;
    const auto [end, code] =
        std::from_chars(number.data(), number.data() + number.size(), amount, std::chars_format::fixed);
    if (code != std::errc() || end != number.data() + number.size() || !(amount > 0) || amount > kMostEpochs ||
        (!share && amount != std::floor(amount)))
      fail_form(lesson);
    std::int64_t count = static_cast<std::int64_t>(amount);
    if (share) {
      percent += amount;
      if (percent >= 100)
        fail_usage(
            "pretrain.curriculum takes {:g} % of the epochs, which leaves none for the task itself; lower its shares",
            percent);
      const auto until = static_cast<std::int64_t>(percent / 100 * static_cast<double>(all) + 1e-9);
      count = until - shared;
      shared = until;
    } else {
      counted += count;
    }
    std::shared_ptr<const Task> made;
    try {
      made = make_registered_task(config.task, options);
    } catch (const Error& error) {
      throw Error(fmt::format("pretrain.curriculum, '{}': {}", printable(lesson), error.what()), error.kind());
    }
    if (const std::string flaw = unfit(made->info(), task->info(), stage.turn); !flaw.empty())
      fail_usage("pretrain.curriculum, '{}': it gives {}, which the run's networks do not take; change other settings",
                 printable(lesson), flaw);
    if (counted + shared < all) epochs.insert(epochs.end(), static_cast<std::size_t>(count), {made, text});
  }
  if (all > 0 && counted + shared >= all)
    fail_usage(
        "pretrain.curriculum takes {} epochs and leaves none of {} for the task itself; raise pretrain.epochs, give "
        "shares such as \"10 %\", or set pretrain.curriculum=\"\"",
        counted + shared, all);
  return epochs;
}

std::string own_settings(const RunConfig& config, const std::vector<Lesson>& lessons) {
  TaskSettings settings = config.task_settings.empty() ? default_task_settings(config.task) : config.task_settings;
  std::string text;
  for (const Field& field : settings.fields())
    if (std::any_of(lessons.begin(), lessons.end(), [&](const Lesson& lesson) {
          return (" " + lesson.text).find(" " + field.key + "=") != std::string::npos;
        }))
      text += (text.empty() ? "" : " ") + field.key + "=" + field_text(field);
  return text;
}

}  // namespace pairs
