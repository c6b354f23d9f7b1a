#include "core/train/settings/curriculum.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/base/text/error.h"
#include "core/base/text/text.h"

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
      "{} holds '{}', which is no lesson: write settings of the task and their share of the epochs or a number of "
      "epochs, as in \"key=value: 10 %; key=value: 4\"",
      "pretrain.curriculum"_key, printable(lesson));
}

// The text of a lesson: settings, "key=value" each, and its percentage or number of epochs.
struct Written {
  std::string_view text;
  std::vector<std::string> settings = {};
  double amount = 0;
  bool share = false;

  // Calls `make`, and adds the lesson to its error.
  template <typename Make>
  auto of_this(Make make) const {
    try {
      return make();
    } catch (const Error& error) {
      throw Error(fmt::format("pretrain.curriculum, '{}': {}", printable(text), error.what()), error.kind(),
                  {"pretrain.curriculum"});
    }
  }
};

// `key`: the last setting of the previous lesson, to which a value alone belongs.
Written read_lesson(std::string_view text, std::string& key) {
  Written lesson{text};
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) fail_form(text);
  std::istringstream words{std::string(text.substr(0, colon))};
  for (std::string word; words >> word;) {
    const auto equal = word.find('=');
    if (equal == std::string::npos && key.empty()) fail_form(text);
    if (equal == std::string::npos) word.insert(0, key + "=");
    key = word.substr(0, word.find('='));
    lesson.settings.push_back(word);
  }
  std::string_view number = trimmed(text.substr(colon + 1));
  lesson.share = number.ends_with('%');
  if (lesson.share) number = trimmed(number.substr(0, number.size() - 1));
  const char* const last = number.data() + number.size();
  const auto [end, code] = std::from_chars(number.data(), last, lesson.amount, std::chars_format::fixed);
  const bool whole = lesson.share || lesson.amount == std::floor(lesson.amount);
  if (lesson.settings.empty() || code != std::errc() || end != last || !(lesson.amount > 0) ||
      lesson.amount > kMostEpochs || !whole)
    fail_form(text);
  return lesson;
}

std::vector<Written> read_lessons(std::string_view text) {
  std::vector<Written> lessons;
  std::string key;
  for (std::string_view rest = trimmed(text); !rest.empty();) {
    const auto end = std::min(rest.find(';'), rest.size());
    lessons.push_back(read_lesson(trimmed(rest.substr(0, end)), key));
    rest = trimmed(rest.substr(std::min(end + 1, rest.size())));
  }
  return lessons;
}

// Why sets of `lesson` do not fit networks of `task`, "" if they do.
std::string unfit(const TaskInfo& lesson, const TaskInfo& task, bool rotate) {
  if (lesson.observation_shape != task.observation_shape) return "observations of another shape";
  if (lesson.periods != task.periods) return "observations with other periods";
  if (!std::equal(lesson.targets.begin(), lesson.targets.end(), task.targets.begin(), task.targets.end(),
                  [](const Target& a, const Target& b) {
                    return a.name == b.name && a.low == b.low && a.high == b.high && a.periodic == b.periodic;
                  }))
    return "other targets";
  if (lesson.target_size() != task.target_size()) return "a target of another shape";
  if (lesson.given_size() != task.given_size()) return "other values given";
  if (lesson.max_n < task.max_n) return "smaller sets";
  return rotate && !lesson.rotation_invariant ? "sets that may not be rotated (pretrain.rotate)" : "";
}

// The run's task with the lesson's settings.
Lesson made(const Written& written, const RunConfig& config, const TaskInfo& task) {
  TaskOptions options = config.task_options();
  if (options.settings.empty()) options.settings = config.tasks->default_settings(config.task);
  for (const std::string& setting : written.settings)
    written.of_this([&] { set_field(options.settings.fields(), setting); });
  const auto lesson = written.of_this([&] { return config.tasks->make(config.task, options); });
  if (const std::string flaw = unfit(lesson->info(), task, config.pretrain.rotate); !flaw.empty())
    fail_usage("{}, '{}': it gives {}, which the run's networks do not take; change other settings",
               "pretrain.curriculum"_key, printable(written.text), flaw);
  return {lesson, fmt::format("{}", fmt::join(written.settings, " "))};
}

// Returns the number of epochs of each lesson: the written number, or a share of `all`. The shares are rounded down in
// total, not one by one. The remaining epochs are for the task itself.
std::vector<std::int64_t> epochs_of(const std::vector<Written>& lessons, std::int64_t all) {
  std::vector<std::int64_t> counts;
  double percent = 0;
  std::int64_t shared = 0, sum = 0;
  for (const Written& lesson : lessons) {
    std::int64_t count = static_cast<std::int64_t>(lesson.amount);
    if (lesson.share) {
      percent += lesson.amount;
      if (percent >= 100)
        fail_usage("{} takes {:g} % of the epochs, which leaves none for the task itself; lower its shares",
                   "pretrain.curriculum"_key, percent);
      const auto until = static_cast<std::int64_t>(percent / 100 * static_cast<double>(all) + 1e-9);
      count = until - std::exchange(shared, until);
    }
    sum += count;
    counts.push_back(count);
  }
  if (all > 0 && sum >= all)
    fail_usage(
        "{} takes {} epochs and leaves none of {} for the task itself; raise {}, give shares such as \"10 %\", or set "
        "{}=\"\"",
        "pretrain.curriculum"_key, sum, all, "pretrain.epochs"_key, "pretrain.curriculum"_key);
  return counts;
}

}  // namespace

std::vector<Lesson> curriculum(const RunConfig& config) {
  const PretrainConfig& stage = config.pretrain;
  const std::vector<Written> written = read_lessons(stage.curriculum);
  if (written.empty()) return {};
  const std::int64_t all = stage.epochs;
  const auto task = config.make_task();
  std::vector<Lesson> lessons;
  for (const Written& one : written) lessons.push_back(made(one, config, task->info()));
  const std::vector<std::int64_t> counts = epochs_of(written, all);
  std::vector<Lesson> epochs;
  if (all == 0) return epochs;
  for (std::size_t l = 0; l < lessons.size(); ++l)
    epochs.insert(epochs.end(), static_cast<std::size_t>(counts[l]), lessons[l]);
  return epochs;
}

std::string own_settings(const RunConfig& config, const std::vector<Lesson>& lessons) {
  TaskSettings settings =
      config.task_settings.empty() ? config.tasks->default_settings(config.task) : config.task_settings;
  std::string text;
  for (const Field& field : settings.fields())
    if (std::any_of(lessons.begin(), lessons.end(), [&](const Lesson& lesson) {
          return (" " + lesson.text).find(" " + field.key + "=") != std::string::npos;
        }))
      text += (text.empty() ? "" : " ") + field.key + "=" + field_text(field);
  return text;
}

}  // namespace pairs
